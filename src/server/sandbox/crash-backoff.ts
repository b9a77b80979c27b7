import { SandboxError } from "./sandbox-error";

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** Keeps a version that dies again and again from being started as often as it is called. */
export class CrashBackoff {
  private readonly crashes = new Map<string, { count: number; until: number }>();

  constructor(private readonly now: () => number) {}

  /** Throws while the version has to wait; the last crash is the reason given. */
  check(key: string, lastReason: string | undefined): void {
    const crash = this.crashes.get(key);
    if (!crash || this.now() >= crash.until) return;
    const seconds = Math.ceil((crash.until - this.now()) / 1000);
    const why = lastReason === undefined ? "" : ` Last time: ${lastReason}`;
    throw new SandboxError(
      "sandbox_failed",
      `The agent process died ${crash.count} times in a row; it is started again in ${seconds} s.${why}`,
    );
  }

  /** The first crash costs nothing: the next call starts the process again at once. */
  crashed(key: string): void {
    const count = (this.crashes.get(key)?.count ?? 0) + 1;
    const wait = count < 2 ? 0 : Math.min(FIRST_MS * 2 ** (count - 2), LONGEST_MS);
    this.crashes.set(key, { count, until: this.now() + wait });
  }

  succeeded(key: string): void {
    this.crashes.delete(key);
  }
}
