import { lstat, readFile, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { create } from "tar";
import { CliError, EXIT } from "../exit-code";
import { findKeys, type KeyFinding } from "./find-keys";
import { listProjectFiles } from "./list-project-files";

export interface PackedProject {
  archive: Uint8Array<ArrayBuffer>;
  files: string[];
  /** Bytes before packing. */
  size: number;
}

const MAX_FILES = 5_000;
const MAX_UNPACKED = 100 * 1024 * 1024;
const MAX_PACKED = 25 * 1024 * 1024;
/** Old enough to be nobody's time, new enough for every tar. */
const MTIME = new Date("2000-01-01T00:00:00Z");

const ignoreFix = "List what the agent does not need in .berthignore.";
const tooLarge = (message: string) => new CliError("too_large", message, { fix: ignoreFix });
const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;

/** A link may only stand for a file of the same project: anything else would carry foreign data. */
async function requireOwnFile(dir: string, path: string): Promise<void> {
  const target = await realpath(join(dir, path)).catch(() => undefined);
  const inside = target?.startsWith(dir + sep) === true;
  if (inside && (await lstat(target)).isFile()) return;
  throw new CliError("not_a_file", `${path} is a link that leads to no file of this project.`, {
    exitCode: EXIT.usage,
    fix: `Replace the link by the file, or list it in .berthignore.`,
  });
}

async function readProjectFile(dir: string, path: string): Promise<Buffer | undefined> {
  const found = await lstat(join(dir, path));
  if (found.isDirectory()) return undefined; // a nested repository, as Git lists it
  if (found.isSymbolicLink()) await requireOwnFile(dir, path);
  else if (!found.isFile()) {
    throw new CliError("not_a_file", `${path} is no regular file.`, { fix: ignoreFix });
  }
  return readFile(join(dir, path));
}

function refuseKeys(findings: readonly KeyFinding[]): void {
  if (findings.length === 0) return;
  const list = findings.map(({ file, line, kind }) => `  ${file}:${line} looks like ${kind}`);
  throw new CliError(
    "key_in_project",
    `The project holds what looks like a key, so nothing was sent:\n${list.join("\n")}`,
    { fix: "Store it with `berth secrets set`, or list the file in .berthignore." },
  );
}

async function inspectFiles(dir: string, paths: readonly string[]) {
  const files: string[] = [];
  const findings: KeyFinding[] = [];
  let size = 0;
  for (const path of paths) {
    const content = await readProjectFile(dir, path);
    if (content === undefined) continue;
    files.push(path);
    size += content.length;
    if (size > MAX_UNPACKED)
      throw tooLarge(`The project is larger than ${mebibytes(MAX_UNPACKED)}.`);
    findings.push(...findKeys(path, content));
  }
  refuseKeys(findings);
  return { files, size };
}

async function toArchive(dir: string, files: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const options = { cwd: dir, gzip: true, portable: true, follow: true, mtime: MTIME };
  // `./` keeps a name that starts with @ from being read as an archive to include.
  const names = files.map((file) => `./${file}`);
  for await (const chunk of create({ ...options, noDirRecurse: true }, names)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/**
 * Packs a project as a tar.gz that is the same for the same files.
 * @throws CliError when there is nothing to send, too much, a link to elsewhere, or a key
 */
export async function packProject(dir: string): Promise<PackedProject> {
  const root = await realpath(dir);
  const paths = await listProjectFiles(root);
  if (paths.length === 0) {
    throw new CliError("nothing_to_deploy", `There is no file to send in ${dir}.`, {
      exitCode: EXIT.usage,
      fix: "Name the project's folder with --dir.",
    });
  }
  if (paths.length > MAX_FILES) throw tooLarge(`The project has more than ${MAX_FILES} files.`);
  const { files, size } = await inspectFiles(root, paths);
  const archive = await toArchive(root, files);
  if (archive.length > MAX_PACKED) {
    throw tooLarge(`Packed, the project is larger than ${mebibytes(MAX_PACKED)}.`);
  }
  return { archive, files, size };
}
