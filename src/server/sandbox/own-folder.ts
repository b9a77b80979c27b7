import { mkdir } from "node:fs/promises";
import { giveTree, openFolder } from "./no-follow";

/** Makes a folder if needed and gives it, with what is in it, to the sandbox's user. */
export async function ownFolder(path: string, uid: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (uid === undefined) return;
  const folder = await openFolder(path);
  try {
    if ((await folder.stat()).uid !== uid) await giveTree(folder, uid);
  } finally {
    await folder.close();
  }
}
