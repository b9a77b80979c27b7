import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { MINIMAL_ENV } from "./minimal-env";
import { firstChild, tasksOfUser } from "./process-tree";
import { buildSeccompFilter } from "./seccomp";

export interface Launch {
  runDir: string;
  id: string;
  bwrapArgs: string[];
  /** The command inside. */
  command: string[];
  uid: number | undefined;
  limits: { pids: number; openFiles: number; fileMb: number };
  /** Whether the guest gets a socket to this process as fd 3. */
  socket: boolean;
}

const DATA_MB = 4096;
/** Nice value of guests: under load this process comes first. */
const NICE = 5;
const MONITOR_GRACE_MS = 2000;

/** An open descriptor on bytes that have no name any more. */
function anonymousFile(launch: Launch, name: string, bytes: string | Buffer): number {
  const path = join(launch.runDir, `${launch.id}.${name}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
  const fd = openSync(path, "r");
  unlinkSync(path);
  return fd;
}

/** The kernel counts tasks per user: where users are shared, those already running count too. */
function taskLimit({ uid, limits }: Launch): number {
  return uid === undefined ? tasksOfUser(process.getuid?.() ?? 0) + limits.pids : limits.pids;
}

function rlimits(launch: Launch): string[] {
  const { openFiles, fileMb } = launch.limits;
  return [
    `--nofile=${openFiles}`,
    `--nproc=${taskLimit(launch)}`,
    "--core=0",
    `--fsize=${fileMb * 1024 * 1024}`,
    `--data=${DATA_MB * 1024 * 1024}`,
  ];
}

/**
 * Spawns bubblewrap with its limits. Options and filter go in through descriptors, so that host
 * paths stand in no command line; nothing of this process's environment goes in at all.
 */
export function launchBwrap(launch: Launch): ChildProcess {
  const filter = anonymousFile(launch, "filter", buildSeccompFilter());
  const firstFd = launch.socket ? 4 : 3;
  const args = [...launch.bwrapArgs, "--seccomp", String(firstFd)];
  const options = anonymousFile(launch, "args", `${args.join("\0")}\0`);
  try {
    const child = spawn(
      "prlimit",
      [...rlimits(launch), "bwrap", "--args", String(firstFd + 1), "--", ...launch.command],
      {
        stdio: [
          "ignore",
          "pipe",
          "pipe",
          ...(launch.socket ? ["pipe" as const] : []),
          filter,
          options,
        ],
        env: MINIMAL_ENV,
        cwd: "/",
        ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.uid }),
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, NICE);
    return child;
  } finally {
    closeSync(filter);
    closeSync(options);
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Kills a namespace through its init: the kernel lets that end only after every other process in
 * it, so the monitor's exit proves that none is left.
 */
export function killNamespace(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const init = firstChild(pid);
  signal(init ?? pid);
  const timer = setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) signal(pid);
  }, MONITOR_GRACE_MS).unref();
  child.once("exit", () => clearTimeout(timer));
}
