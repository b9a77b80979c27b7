import { constants } from "node:fs";
import { type FileHandle, lchown, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Path of an entry relative to an open folder: the folder cannot be swapped under it. */
const entryOf = (folder: FileHandle, name: string): string => `/proc/self/fd/${folder.fd}/${name}`;

/** Opens a folder that must be one itself, not a link to one. */
export const openFolder = (path: string): Promise<FileHandle> => open(path, DIRECTORY);

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Removes an entry and all below it without following a link at any step. */
export async function removeTree(folder: FileHandle, name: string): Promise<void> {
  const path = entryOf(folder, name);
  let isFolder: boolean;
  try {
    isFolder = (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if (!isFolder) return unlink(path);
  const inner = await openFolder(path);
  try {
    for (const entry of await readdir(`/proc/self/fd/${inner.fd}`)) await removeTree(inner, entry);
  } finally {
    await inner.close();
  }
  await rmdir(path);
}

/** Gives an open folder and all below it to a user, links themselves instead of what they name. */
export async function giveTree(folder: FileHandle, uid: number): Promise<void> {
  await folder.chown(uid, uid);
  for (const name of await readdir(`/proc/self/fd/${folder.fd}`)) {
    const path = entryOf(folder, name);
    if (!(await lstat(path)).isDirectory()) {
      await lchown(path, uid, uid);
      continue;
    }
    const inner = await openFolder(path);
    try {
      await giveTree(inner, uid);
    } finally {
      await inner.close();
    }
  }
}
