import { readdirSync, readFileSync } from "node:fs";

const PAGE_KB = 4;

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process ended between being listed and being read.
    return "";
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Children of every thread: a child belongs to the thread that forked it. */
const childrenOf = (pid: number): number[] =>
  list(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );

/** A process and all below it. Empty once it is gone. */
export function processTree(root: number): number[] {
  const found: number[] = [];
  const queue = [root];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    if (list(`/proc/${pid}`).length === 0) continue;
    found.push(pid);
    queue.push(...childrenOf(pid));
  }
  return found;
}

/** First child: below bubblewrap's monitor, the namespace's init. */
export const firstChild = (pid: number): number | undefined => childrenOf(pid)[0];

/** Whether a process is still there; one that ended and was not waited for is not. */
export function isRunning(pid: number): boolean {
  const state = /^State:\s+(\S)/m.exec(read(`/proc/${pid}/status`))?.[1];
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Resident memory of these processes together, in MiB; shared pages count once per process. */
export function residentMb(pids: readonly number[]): number {
  let pages = 0;
  for (const pid of pids) {
    pages += Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0);
  }
  return (pages * PAGE_KB) / 1024;
}

/** Processes and threads that this user runs now. */
export function tasksOfUser(uid: number): number {
  let tasks = 0;
  for (const pid of list("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const status = read(`/proc/${pid}/status`);
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) !== uid) continue;
    tasks += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 1);
  }
  return tasks;
}
