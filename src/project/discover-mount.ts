import { FOLDER_KINDS, type SingleKind } from "./definition-kind";
import { warningAt } from "./diagnostics";
import { discoverFolder } from "./discover-folder";
import type { Mount, Walk } from "./walk";
import { codeStem, entriesOf, foundModule } from "./walk";

const WORKSPACE = "sandbox/workspace/";
/** Folders that mean something and hold no definitions. */
const SILENT = new Set(["lib", "instructions", "sandbox"]);

/** Finds every definition below the root or below the folder of an extension. */
export const discoverMount = async (walk: Walk, mount: Mount): Promise<void> => {
  const top = entriesOf(walk, mount.base);
  const folders = new Set(top.flatMap(({ head, rest }) => (rest === undefined ? [] : [head])));
  for (const folder of folders) {
    const kind = Object.entries(FOLDER_KINDS).find(([name]) => name === folder)?.[1];
    if (kind !== undefined) await discoverFolder(walk, mount, folder, kind);
    else if (!SILENT.has(folder) && !folder.startsWith(".")) unrecognized(walk, mount, folder);
  }
  sandbox(walk, mount);
  for (const name of folders.has("extensions") ? extensionNames(walk, mount) : []) {
    await discoverExtension(walk, mount, name);
  }
};

/** Records `agent.ts`, `artifacts.ts`, `result.ts` and the like, if present in the mount. */
export const discoverSingle = (walk: Walk, mount: Mount, kind: SingleKind): void => {
  for (const { head, rest, file } of entriesOf(walk, mount.base)) {
    if (rest === undefined && codeStem(head) === kind) foundModule(walk, kind, kind, file);
  }
};

const unrecognized = (walk: Walk, mount: Mount, folder: string): void => {
  const file = `${mount.base}${folder}`;
  const fix =
    folder === "evals"
      ? "move evals/ beside the agent's folder"
      : "rename it, or move code to lib/";
  walk.report(
    warningAt("unrecognized_directory", `${file}/ is not a folder of definitions`, { file, fix }),
  );
};

const sandbox = (walk: Walk, mount: Mount): void => {
  for (const { file } of entriesOf(walk, `${mount.base}sandbox/`)) {
    if (file.startsWith(`${mount.base}${WORKSPACE}`)) walk.workspaceFiles.push(file);
    else
      walk.report(
        warningAt("ignored_file", `${file} is ignored`, {
          file,
          fix: `seed files of the workspace belong below ${mount.base}${WORKSPACE}`,
        }),
      );
  }
};

const extensionNames = (walk: Walk, mount: Mount): Set<string> =>
  new Set(
    entriesOf(walk, `${mount.base}extensions/`).flatMap(({ head, rest }) =>
      rest === undefined ? [] : [head],
    ),
  );

/** An extension that is a folder: its own module if it has one, and what its folders hold. */
const discoverExtension = async (walk: Walk, mount: Mount, name: string): Promise<void> => {
  const base = `${mount.base}extensions/${name}/`;
  const main = entriesOf(walk, base).find(
    ({ head, rest }) => rest === undefined && ["index", "extension"].includes(codeStem(head) ?? ""),
  );
  const namespace = mount.prefix + name;
  if (main === undefined) walk.extensionFolders.push({ name: namespace, file: base.slice(0, -1) });
  else foundModule(walk, "extensions", namespace, main.file);
  await discoverMount(walk, { base, prefix: `${namespace}__` });
};
