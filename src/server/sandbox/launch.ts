import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { inheritedFds } from "./inherited-fds";
import { MINIMAL_ENV } from "./minimal-env";
import { tasksOfUser } from "./process-tree";
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

/** An open descriptor on bytes that have no name any more. */
function anonymousFile(launch: Launch, name: string, bytes: string | Buffer): number {
  const path = join(launch.runDir, `${launch.id}.${name}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
  const fd = openSync(path, "r");
  unlinkSync(path);
  return fd;
}

/** The kernel counts tasks per user, and one user has several sandboxes: those running count too. */
const taskLimit = ({ uid, limits }: Launch): number =>
  tasksOfUser(uid ?? process.getuid?.() ?? 0) + limits.pids;

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

type Slot = "ignore" | "pipe" | number;

/** The child's descriptors; what it would inherit beyond them is replaced by `/dev/null`. */
function descriptors(socket: boolean, last: readonly number[], devNull: number): Slot[] {
  const slots: Slot[] = ["ignore", "pipe", "pipe", ...(socket ? ["pipe" as const] : []), ...last];
  const first = slots.length;
  for (const fd of inheritedFds().filter((inherited) => inherited >= first)) {
    while (slots.length < fd) slots.push("ignore");
    slots[fd] = devNull;
  }
  return slots;
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
  const devNull = openSync("/dev/null", "r");
  try {
    const child = spawn(
      "prlimit",
      [...rlimits(launch), "bwrap", "--args", String(firstFd + 1), "--", ...launch.command],
      {
        stdio: descriptors(launch.socket, [filter, options], devNull),
        env: MINIMAL_ENV,
        cwd: "/",
        ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.uid }),
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, NICE);
    return child;
  } finally {
    for (const fd of [filter, options, devNull]) closeSync(fd);
  }
}
