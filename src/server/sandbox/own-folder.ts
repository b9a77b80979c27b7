import { mkdir } from "node:fs/promises";
import { giveTree, openFolder } from "./no-follow";

const OWNER_ALL = 0o700;

/**
 * Makes a folder if needed and gives it, with what is in it, to the sandbox's user, who may always
 * enter it: a guest that locked itself out could do nothing there ever again.
 */
export async function ownFolder(path: string, uid: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: OWNER_ALL });
  if (process.getuid?.() !== 0) return;
  const folder = await openFolder(path);
  try {
    const found = await folder.stat();
    if (uid !== undefined && found.uid !== uid) await giveTree(folder, uid);
    if ((found.mode & OWNER_ALL) !== OWNER_ALL) await folder.chmod(OWNER_ALL);
  } finally {
    await folder.close();
  }
}
