import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { firstChild, isRunning } from "./process-tree";

const MONITOR_GRACE_MS = 2000;
const POLL_MS = 5;

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/**
 * The namespace below bubblewrap's monitor. The kernel lets its init end only after every other
 * process in it, so once that is gone, all are.
 */
export class NamespaceProcess {
  private init: number | undefined;

  constructor(readonly child: ChildProcess) {}

  /** Remembers the init while it can be found; after the monitor's exit it cannot. */
  observe(): void {
    const { pid } = this.child;
    if (pid !== undefined && !hasExited(this.child)) this.init ??= firstChild(pid);
  }

  kill(): void {
    this.observe();
    const { pid } = this.child;
    if (pid === undefined || hasExited(this.child)) return;
    signal(this.init ?? pid);
    const timer = setTimeout(() => {
      if (!hasExited(this.child)) signal(pid);
    }, MONITOR_GRACE_MS).unref();
    this.child.once("exit", () => clearTimeout(timer));
  }

  /** Resolves once the namespace is empty; for after the monitor's exit, which may come first. */
  async gone(): Promise<void> {
    if (this.init === undefined) return;
    while (isRunning(this.init)) await delay(POLL_MS);
  }
}
