import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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

function linuxProcesses() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = statOf(pid);
      const command = readProc(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ");
      return stat && command ? [{ pid: Number(pid), parent: Number(stat[1]), command }] : [];
    });
}

function otherProcesses() {
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,command="], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
  });
}

/** The process id of the child of `parent` whose command line contains `text`, or undefined. */
export function findChild(parent, text) {
  const all = process.platform === "linux" ? linuxProcesses() : otherProcesses();
  return all.find((entry) => entry.parent === parent && entry.command.includes(text))?.pid;
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
