import type { Readable } from "node:stream";
import type { SavedFile } from "./saved-file";

/** A file that a workspace is to have, and where its bytes come from. */
export interface TreeFile extends SavedFile {
  open(): Promise<Readable | Uint8Array>;
}

/** The files a workspace is to have, by path. */
export type Tree = Map<string, TreeFile>;

/** Puts a file into a tree; what stands in its way, above or below, goes. */
export function setFile(tree: Tree, path: string, file: TreeFile): void {
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    tree.delete(path.slice(0, cut));
  }
  if (!tree.has(path)) {
    const below = `${path}/`;
    for (const other of tree.keys()) if (other.startsWith(below)) tree.delete(other);
  }
  tree.set(path, file);
}

/** Every folder that a path of the tree is in. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
