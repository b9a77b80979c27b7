import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { chmod, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mount = (folder: string, megabytes: number): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "tmpfs", folder])
    .status === 0;

const unmount = (folder: string) => spawnSync("umount", ["--lazy", folder]);

function tryMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "berth-mount-"));
  const mounted = mount(folder, 1);
  if (mounted) unmount(folder);
  return mounted;
}

/** Whether small file systems can be made here; else `describe.skipIf(!canMount)`. */
export const canMount = tryMount();

/** A file system of a few megabytes that can be filled to its last byte. */
export interface SmallDisk {
  folder: string;
  /** Leaves no room at all, or `leave` bytes of it. */
  fill(leave?: number): Promise<void>;
  /** Gives the room back. */
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** Mounts one; by root only. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), "berth-disk-"));
  if (!mount(folder, megabytes)) throw new Error(`no file system could be mounted at ${folder}`);
  await chmod(folder, 0o711);
  const ballast = join(folder, "ballast");
  return {
    folder,
    async fill(leave = 0) {
      const { bavail, bsize } = await statfs(folder);
      const file = await open(ballast, "a");
      try {
        const pages = Math.floor((bavail * bsize - leave) / 4_096);
        for (let left = pages; left > 0; left -= 256) {
          await file.write(Buffer.alloc(4_096 * Math.min(left, 256)));
        }
      } catch (error) {
        // Somebody else took the last of it.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      unmount(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
