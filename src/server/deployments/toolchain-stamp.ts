import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/**
 * Names the programs that build: another stamp may give another bundle of the same source.
 * Read for each build, because a clone may be built anew below a running worker.
 * @param root of the clone, whose `dist` holds the programs
 * @throws Error when they are not there
 */
export async function toolchainStamp(root: string): Promise<string> {
  const dist = join(root, "dist");
  const files = [join(dist, "build.mjs"), ...(await filesOf(join(dist, "sdk"))).sort()];
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = await readFile(file);
    hash.update(`${relative(dist, file)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}
