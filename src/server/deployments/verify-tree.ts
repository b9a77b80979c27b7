import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveLimits } from "./archive-limits";
import { archiveError } from "./archive-names";

interface Found {
  files: number;
  bytes: number;
}

async function walk(root: string, relative: string, found: Found): Promise<void> {
  for (const name of await readdir(join(root, relative))) {
    const path = relative === "" ? name : `${relative}/${name}`;
    const stat = await lstat(join(root, path));
    if (stat.isDirectory()) {
      await walk(root, path, found);
    } else if (!stat.isFile() || stat.nlink !== 1) {
      throw archiveError(path, "is no plain file");
    } else {
      found.files++;
      found.bytes += stat.size;
    }
  }
}

/**
 * Looks at what lies in a directory, without following anything.
 * @throws AppError `invalid_archive` for links, devices and trees beyond the limits.
 */
export async function verifyTree(directory: string, limits: ArchiveLimits): Promise<void> {
  const found: Found = { files: 0, bytes: 0 };
  await walk(directory, "", found);
  if (found.files > limits.files) throw archiveError(".", `holds more than ${limits.files} files`);
  if (found.bytes > limits.unpackedBytes) {
    throw archiveError(".", `holds more than ${limits.unpackedBytes} bytes`);
  }
}
