import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import type { TreeEntry } from "./walk-tree";

// A pipe that took the file's place must not be waited for.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The bytes of a file as they stand, and what it was when reading began. */
export interface OpenEntry {
  bytes: AsyncIterable<Uint8Array>;
  stat: BigIntStats;
}

/** Runs work with a file's bytes. @returns undefined when it is not a plain file any more */
export async function readEntry<T>(
  { folder, name }: TreeEntry,
  work: (opened: OpenEntry) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(folder.at(name), READ).catch(unlessSwapped);
  if (!file) return undefined;
  try {
    const stat = await file.stat({ bigint: true });
    if (!stat.isFile()) return undefined;
    return await work({ bytes: bytesOf(file, Number(stat.size)), stat });
  } finally {
    await file.close();
  }
}

const PIECE = 256 * 1024;

/** At most `size` bytes: a file that grows meanwhile is read again another time. */
async function* bytesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, left));
    const { bytesRead } = await file.read(piece, 0, piece.length);
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Where a link points to, as text. @returns undefined when it is no link any more */
export const readTarget = ({ folder, name }: TreeEntry): Promise<string | undefined> =>
  readlink(folder.at(name)).catch(unlessSwapped);

function unlessSwapped(error: NodeJS.ErrnoException): undefined {
  const swapped = ["ENOENT", "ELOOP", "ENOTDIR", "EINVAL", "ENXIO", "EISDIR", "ENODEV"];
  if (!swapped.includes(error.code ?? "")) throw error;
}
