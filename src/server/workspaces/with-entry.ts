import { lstat } from "node:fs/promises";
import type { Folder } from "./folder";
import { unlessMissing } from "./unless-missing";
import type { TreeEntry } from "./walk-tree";

/** Runs work with one entry of an open folder, reached without following a link. */
export async function withEntry<T>(
  root: Folder,
  path: string,
  work: (entry: TreeEntry) => Promise<T | undefined>,
): Promise<T | undefined> {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  return await descend(root, parts, async (folder) => {
    const stat = await lstat(folder.at(name), { bigint: true });
    return await work({ path, name, stat, folder });
  }).catch(unlessMissing);
}

async function descend<T>(
  folder: Folder,
  [head, ...rest]: string[],
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  if (head === undefined) return await work(folder);
  return await (await folder.inner(head)).use((inner) => descend(inner, rest, work));
}
