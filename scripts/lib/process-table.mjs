import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Reads a file of /proc; a process that ended in between has none. */
function readProc(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** State, parent and start time: the fields after the command name, which may hold anything. */
function statOf(pid) {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** What tells this process from a later one with the same id; undefined when it is not running. */
export function processIdentity(pid) {
  if (process.platform === "linux") {
    const stat = statOf(pid);
    return stat && stat[0] !== "Z" ? `${pid}:${stat[19]}` : undefined;
  }
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() ? `${pid}:${stdout.trim()}` : undefined;
}
