import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as delay, setImmediate as nextRead } from "node:timers/promises";
import type { ProgramEnd } from "../../protocol/shell-rpc";
import { killGroup, noteGroup } from "./process-groups";
import { Refusal } from "./refusal";

export interface Program {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Nothing, as from an empty file, when absent. */
  stdin?: string;
  timeoutMs: number;
  /** Ends the program, with its group, when aborted. */
  signal: AbortSignal;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

/** How long nothing must come from the pipes of a program that ended while others hold them. */
const QUIET_MS = 25;
const LONGEST_DRAIN_MS = 500;

const START_ERRORS: Record<string, string> = {
  E2BIG: "its command is too long; put it into a file",
  EAGAIN: "too many processes are running; wait for some or end them",
  ENOENT: "there is no such program here",
  EACCES: "it is not a program",
};

function startError(command: string, error: NodeJS.ErrnoException): Error {
  const reason = START_ERRORS[error.code ?? ""];
  return reason ? new Refusal(`${command} could not be started: ${reason}.`) : error;
}

/** Hands chunks over until `stop`; what comes later, from a program left behind, is dropped. */
function follow(stream: Readable, take: (chunk: Buffer) => void) {
  let stopped = false;
  let lastAt = 0;
  stream.on("data", (chunk: Buffer) => {
    lastAt = performance.now();
    if (!stopped) take(chunk);
  });
  return {
    closed: new Promise<void>((resolve) => stream.once("close", resolve)),
    lastAt: () => lastAt,
    stop: () => {
      stopped = true;
    },
  };
}

type Followed = ReturnType<typeof follow>;

/** Waits for the rest of the output. A background process keeps a pipe open and is not waited for. */
async function drain(pipes: readonly Followed[]): Promise<void> {
  const until = performance.now() + LONGEST_DRAIN_MS;
  const all = Promise.all(pipes.map(({ closed }) => closed)).then(() => true);
  while (!(await Promise.race([all, delay(QUIET_MS, false)]))) {
    // On a busy machine the time is over before anything that waits in the pipes has been read.
    await nextRead();
    const quietFor = performance.now() - Math.max(...pipes.map(({ lastAt }) => lastAt()));
    if (quietFor >= QUIET_MS || performance.now() > until) break;
  }
  for (const pipe of pipes) pipe.stop();
}

function spawnGroup(command: string, args: readonly string[], cwd: string) {
  try {
    return spawn(command, args, { cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    // Some errors of the system are thrown at once instead of being emitted.
    throw startError(command, error as NodeJS.ErrnoException);
  }
}

function start({ command, args, cwd, stdin }: Program) {
  const child = spawnGroup(command, args, cwd);
  if (child.pid !== undefined) noteGroup(child.pid);
  // A program need not read its input to the end.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin ?? "");
  return child;
}

/** Runs a program in a process group of its own to its end, or to its time limit. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const startedAt = performance.now();
  const child = start(program);
  const exited = new Promise<Pick<ProgramEnd, "exitCode" | "signal">>((resolve, reject) => {
    child.once("error", (error) => reject(startError(program.command, error)));
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const end = () => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const pipes = [follow(child.stdout, program.onStdout), follow(child.stderr, program.onStderr)];
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, program.timeoutMs);
  program.signal.addEventListener("abort", end, { once: true });
  if (program.signal.aborted) end();
  try {
    const ended = await exited;
    clearTimeout(timer);
    await drain(pipes);
    return { ...ended, timedOut, durationMs: Math.round(performance.now() - startedAt) };
  } finally {
    clearTimeout(timer);
    program.signal.removeEventListener("abort", end);
  }
}
