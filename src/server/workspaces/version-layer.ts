import { join } from "node:path";
import type { Manifest } from "../../protocol/manifest";
import { catalogueOf, TOOL_FOLDER, withCatalogue } from "./catalogue";
import { isKeepablePath } from "./path-rules";
import { skillFiles } from "./skill-files";
import { setFile, type Tree } from "./tree";
import { bytesFile, bytesOf, hostFile } from "./tree-file";

/** What a version brings into every workspace. */
export interface VersionLayer {
  /** Files that the author seeds: the agent may change them, and then they are its own. */
  seeds: Tree;
  /** Skills and tools: replaced by those of a new version. */
  owned: Tree;
  /** Block of AGENTS.md. */
  catalogue: string;
}

export interface VersionSource {
  manifest: Manifest;
  /** Holds the project as it was uploaded, in `project/`. */
  bundleDir: string;
}

const SEEDS = /(?:^|\/)sandbox\/workspace\/(?<path>.+)$/;
const AGENTS_FILE = "AGENTS.md";

/** Reads what a version brings. @throws what the disk says when its bundle is not whole */
export async function versionLayer({ manifest, bundleDir }: VersionSource): Promise<VersionLayer> {
  const project = join(bundleDir, "project");
  const seeds: Tree = new Map();
  for (const file of manifest.workspaceFiles) {
    const path = SEEDS.exec(file)?.groups?.path;
    if (path !== undefined && isKeepablePath(path)) {
      setFile(seeds, path, await hostFile(join(project, file)));
    }
  }
  await setCatalogue(seeds, "");
  const owned: Tree = new Map();
  for (const skill of manifest.skills) {
    for (const [path, file] of await skillFiles(skill, project)) {
      // Paths of skills come from tenants' code: what leads elsewhere is left out.
      if (isKeepablePath(path)) setFile(owned, path, file);
    }
  }
  const programs = manifest.tools.filter(({ execution }) => execution === "agent");
  for (const { name, script = "" } of programs) {
    setFile(owned, `${TOOL_FOLDER}/${name}`, bytesFile(Buffer.from(script), 0o755));
  }
  return { seeds, owned, catalogue: catalogueOf(programs) };
}

/** Puts a version's block into the AGENTS.md of a tree; a file that is nothing else may go. */
export async function setCatalogue(tree: Tree, catalogue: string): Promise<void> {
  const file = tree.get(AGENTS_FILE);
  if (file !== undefined && file.sha256 === null) return;
  const text = file ? (await bytesOf(file)).toString("utf8") : "";
  const wanted = withCatalogue(text, catalogue);
  if (wanted === text) return;
  if (wanted === "") tree.delete(AGENTS_FILE);
  else setFile(tree, AGENTS_FILE, bytesFile(Buffer.from(wanted)));
}
