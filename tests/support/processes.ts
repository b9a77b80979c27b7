import { readdirSync, readFileSync, readlinkSync } from "node:fs";

function isOf(pid: string, folder: string): boolean {
  try {
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, "utf8");
    // What ended and waits to be noticed has no mounts any more; this process sees them all.
    return mounts.includes(folder) && readlinkSync(`/proc/${pid}/ns/mnt`) !== OWN;
  } catch {
    return false;
  }
}

const OWN = process.platform === "linux" ? readlinkSync("/proc/self/ns/mnt") : "";

/** Processes in a mount namespace of their own into which a folder of the host is mounted. */
export const processesOf = (folder: string): number =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isOf(pid, folder)).length;
