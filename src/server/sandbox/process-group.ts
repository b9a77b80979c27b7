import type { ChildProcess } from "node:child_process";

/** Kills a detached child and what it started, as far as that stayed in its process group. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const CLOSING_MS = 500;

/** Asks a child to end what it started elsewhere and itself, and kills it if it does not. */
export function endGroup(child: ChildProcess): void {
  child.kill("SIGTERM");
  const timer = setTimeout(() => killGroup(child), CLOSING_MS).unref();
  child.once("exit", () => clearTimeout(timer));
}
