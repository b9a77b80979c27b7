import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { release, setPriority } from "node:os";
import { join } from "node:path";
import { INSIDE } from "./bwrap-arguments";
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

/** Since 5.14 a limit set inside a user namespace counts the tasks of that namespace alone. */
const countsPerNamespace = (release: string): boolean => {
  const [major = 0, minor = 0] = release.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
};

function rlimits({ limits: { openFiles, fileMb } }: Launch): string[] {
  return [
    `--nofile=${openFiles}`,
    "--core=0",
    `--fsize=${fileMb * 1024 * 1024}`,
    `--data=${DATA_MB * 1024 * 1024}`,
  ];
}

/** The command with its limit of tasks, which is set inside: one user has several sandboxes. */
function limitedCommand({ command, limits: { pids } }: Launch): string[] {
  if (!countsPerNamespace(release())) return command;
  return [INSIDE.prlimit, `--nproc=${pids}`, ...command];
}

/** On older kernels all of a user's tasks count, so those that run already are added. */
function outerTaskLimit({ uid, limits: { pids } }: Launch): string[] {
  if (countsPerNamespace(release())) return [];
  return [`--nproc=${tasksOfUser(uid ?? process.getuid?.() ?? 0) + pids}`];
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
  const argsFile = anonymousFile(launch, "args", `${args.join("\0")}\0`);
  const options = ["--args", String(firstFd + 1), "--", ...limitedCommand(launch)];
  const devNull = openSync("/dev/null", "r");
  try {
    const child = spawn(
      "prlimit",
      [...rlimits(launch), ...outerTaskLimit(launch), "bwrap", ...options],
      {
        stdio: descriptors(launch.socket, [filter, argsFile], devNull),
        env: MINIMAL_ENV,
        cwd: "/",
        ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.uid }),
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, NICE);
    return child;
  } finally {
    for (const fd of [filter, argsFile, devNull]) closeSync(fd);
  }
}
