import { randomUUID } from "node:crypto";
import { type BigIntStats, createWriteStream } from "node:fs";
import { chmod, chown, lchown, lstat, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Folder, Owner } from "./folder";
import { isLink } from "./saved-file";
import type { TreeFile } from "./tree";
import { bytesOf } from "./tree-file";
import { unlessMissing } from "./unless-missing";

interface Place {
  /** A folder of the host on the same disk: files are whole before a guest sees them. */
  staging: string;
  owner: Owner;
}

/**
 * Makes one file of a workspace, in place of whatever has its name.
 * @returns what it is on the disk then; undefined for a folder, and when the guest took it away
 */
export async function writeFileAt(
  root: Folder,
  path: string,
  file: TreeFile,
  place: Place,
): Promise<BigIntStats | undefined> {
  const [head = "", ...rest] = path.split("/");
  if (rest.length > 0) {
    const inner = await root.make(head, place.owner);
    return await inner.use((folder) => writeFileAt(folder, rest.join("/"), file, place));
  }
  if (file.sha256 === null) return await (await root.make(head, place.owner)).use(nothing);
  if (isLink(file)) await writeLink(root, head, file, place.owner);
  else await writeBytes(root, head, file, place);
  return await lstat(root.at(head), { bigint: true }).catch(unlessMissing);
}

/** Makes a folder of a workspace, with those above it. */
export async function makeFolderAt(
  root: Folder,
  path: string,
  { owner }: Pick<Place, "owner">,
): Promise<void> {
  const [head = "", ...rest] = path.split("/");
  await (await root.make(head, owner)).use(async (folder) => {
    if (rest.length > 0) await makeFolderAt(folder, rest.join("/"), { owner });
  });
}

const nothing = async (): Promise<undefined> => undefined;

async function writeLink(folder: Folder, name: string, file: TreeFile, owner: Owner) {
  const target = await bytesOf(file);
  await folder.remove(name);
  await symlink(target, folder.at(name));
  if (process.getuid?.() === 0) await lchown(folder.at(name), owner.uid, owner.gid);
}

async function writeBytes(folder: Folder, name: string, file: TreeFile, place: Place) {
  const staged = join(place.staging, randomUUID());
  try {
    const content = await file.open();
    if (content instanceof Uint8Array) await writeFile(staged, content, { mode: 0o600 });
    else await pipeline(content, createWriteStream(staged, { mode: 0o600 }));
    const { uid, gid } = place.owner;
    if (process.getuid?.() === 0) await chown(staged, uid, gid);
    await chmod(staged, file.mode & 0o777);
    await moveOver(staged, folder, name);
  } finally {
    await rm(staged, { force: true });
  }
}

/** A file replaces a file or a link in one move; a folder has to go first. */
async function moveOver(staged: string, folder: Folder, name: string): Promise<void> {
  try {
    await rename(staged, folder.at(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EISDIR" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    await folder.remove(name);
    await rename(staged, folder.at(name));
  }
}
