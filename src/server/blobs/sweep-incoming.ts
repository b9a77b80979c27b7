import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { now } from "../platform/platform";
import { blobFolder } from "./store";

/** Longer than a request may take, so that nobody still writes what was left alone for this long. */
const ABANDONED_MS = 15 * 60_000;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** What a file system call gives, or undefined where a blob was finished or removed meanwhile. */
const ifThere = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });

/**
 * Removes what processes that were killed had begun to keep. @returns how many files it removed.
 * @throws Error when the file system refuses
 */
export async function sweepIncoming(): Promise<number> {
  const folder = join(blobFolder(), "incoming");
  const oldest = now().getTime() - ABANDONED_MS;
  let removed = 0;
  for (const name of (await ifThere(readdir(folder))) ?? []) {
    const path = join(folder, name);
    const file = await ifThere(stat(path));
    if (!file || file.mtimeMs > oldest) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}
