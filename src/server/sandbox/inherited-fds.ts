import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

function survivesExec(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor that listed the folder is closed by now.
    return false;
  }
}

let known: number[] | undefined;

/**
 * Descriptors that this process got from its parent and would pass on to every child. Node's own
 * close on exec, so the list never grows.
 */
export function inheritedFds(): number[] {
  known ??= readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > LAST_STANDARD && survivesExec(fd));
  return known;
}
