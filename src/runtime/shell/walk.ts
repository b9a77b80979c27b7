import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const MAX_ENTRIES = 200_000;
/** Folders that hold what nobody wrote; named in a pattern they are searched all the same. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** A file found, by its path below the start with `/`. */
export interface Found {
  path: string;
  real: string;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A folder that went away or may not be read has nothing to find.
    if (/^(ENOENT|EACCES|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** The files below a folder in the order of their names, without following links. */
export async function* walk(start: string, pattern: string, signal: AbortSignal) {
  const named = pattern.split("/");
  const isEntered = (name: string) => !LEFT_OUT.has(name) || named.includes(name);
  const folders = [""];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await entriesOf(join(start, folder));
    seen += entries.length;
    if (seen > MAX_ENTRIES || signal.aborted) return;
    const prefix = folder === "" ? "" : `${folder}/`;
    for (const { name } of entries.filter((entry) => entry.isFile())) {
      yield { path: prefix + name, real: join(start, prefix, name) } satisfies Found;
    }
    const inner = entries.filter((entry) => entry.isDirectory() && isEntered(entry.name));
    folders.push(...inner.reverse().map(({ name }) => prefix + name));
  }
}
