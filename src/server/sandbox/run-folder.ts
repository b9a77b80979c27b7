import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "berth-";
/** File of a run folder that says who made it: the machine and, alone on it, a process id. */
const OWNER = "owner";

/** Process ids mean something only within one machine and one pid namespace. */
async function pidSpace(): Promise<string> {
  const namespace = process.platform === "linux" ? await readlink("/proc/self/ns/pid") : "";
  return `${hostname()} ${namespace}`;
}

/** A folder of this process below the temporary one. Its name is short, for the sockets in it. */
export async function makeRunFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), PREFIX));
  await writeFile(join(path, OWNER), `${process.pid}\n${await pidSpace()}\n`, { mode: 0o600 });
  await chmod(path, 0o711);
  return path;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Absent where the file is not there, or no longer. */
const ifThere = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** Whether a folder was made by this user, in this pid space, by a process that is gone. */
async function isStale(path: string, space: string): Promise<boolean> {
  const found = await ifThere(lstat(path));
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  const owner = await ifThere(readFile(join(path, OWNER), "utf8"));
  const [pid, where] = owner?.split("\n") ?? [];
  return where === space && /^[1-9]\d*$/.test(pid ?? "") && !isAlive(Number(pid));
}

/**
 * Removes the run folders of processes that were killed. Leaves every folder whose maker lives or
 * cannot be told. @returns how many it removed. @throws Error when the file system refuses.
 */
export async function sweepRunFolders(): Promise<number> {
  const space = await pidSpace();
  let removed = 0;
  for (const name of await readdir(tmpdir())) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || !(await isStale(path, space))) continue;
    await rm(path, { recursive: true, force: true });
    removed++;
  }
  return removed;
}
