import { mkdir } from "node:fs/promises";
import { sha256Hex } from "../platform/crypto";
import { now } from "../platform/platform";
import type { Folder } from "./folder";
import { hashBytes } from "./hash-bytes";
import { readEntry, readTarget } from "./read-entry";
import { isLink, type SavedFile, sameFile } from "./saved-file";
import { sideBySide } from "./side-by-side";
import { isAlike, isUntouched, type Stamp, stampOf } from "./stamp";
import { foldersOf, type Tree, type TreeFile } from "./tree";
import { type TreeEntry, walkTree } from "./walk-tree";
import { makeFolderAt, writeFileAt } from "./write-file-at";

/** What files on the disk are known to hold, and how to tell that they still do. */
export type Known = Map<string, { file: SavedFile; stamp: Stamp }>;

/**
 * Brings a folder to exactly what a tree says: removes, replaces and writes what differs.
 * @param known what earlier looks at the same folder found
 * @param staging a folder of the host on the same disk
 * @returns what is known of the folder now. @throws BlobMissing, and what the disk says
 */
export async function restoreTree(
  root: Folder,
  tree: Tree,
  known: Known,
  staging: string,
): Promise<Known> {
  const kept = await keepWhatIsRight(root, tree, known);
  const { uid, gid } = await root.stat();
  const place = { staging, owner: { uid, gid } };
  await mkdir(staging, { recursive: true, mode: 0o700 });
  const missing = [...tree].filter(([path]) => !kept.has(path));
  // Folders first and one by one, for two files of one folder must not both make it.
  for (const folder of foldersOf(missing.map(([path]) => path)))
    await makeFolderAt(root, folder, place);
  await sideBySide(missing, async ([path, file]) => {
    const stat = await writeFileAt(root, path, file, place);
    if (stat) kept.set(path, { file: plain(file), stamp: stampOf(stat, now().getTime()) });
  });
  return kept;
}

const plain = ({ sha256, size, mode }: SavedFile): SavedFile => ({ sha256, size, mode });

async function keepWhatIsRight(root: Folder, tree: Tree, known: Known): Promise<Known> {
  const folders = foldersOf(tree.keys());
  const kept: Known = new Map();
  const isRight = async (entry: TreeEntry): Promise<boolean> => {
    const wanted = tree.get(entry.path);
    if (entry.stat.isDirectory()) return folders.has(entry.path) || wanted?.sha256 === null;
    const stamp = wanted && (await stampIfRight(entry, wanted, known.get(entry.path)));
    if (wanted && stamp) kept.set(entry.path, { file: plain(wanted), stamp });
    return stamp !== undefined;
  };
  await walkTree(root, async (entry) => {
    const right = await isRight(entry);
    if (!right) await entry.folder.remove(entry.name);
    return right;
  });
  return kept;
}

async function stampIfRight(
  entry: TreeEntry,
  wanted: TreeFile,
  known: { file: SavedFile; stamp: Stamp } | undefined,
): Promise<Stamp | undefined> {
  const fresh = stampOf(entry.stat, now().getTime());
  if (isLink(wanted)) {
    if (!entry.stat.isSymbolicLink()) return undefined;
    const target = await readTarget(entry);
    return target !== undefined && sha256Hex(target) === wanted.sha256 ? fresh : undefined;
  }
  if (!known || !sameFile(known.file, wanted)) return undefined;
  if (isUntouched(known.stamp, entry.stat)) return known.stamp;
  if (!isAlike(known.stamp, entry.stat)) return undefined;
  const read = await readEntry(entry, ({ bytes }) => hashBytes(bytes));
  return read?.sha256 === wanted.sha256 ? fresh : undefined;
}
