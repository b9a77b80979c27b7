import { setTimeout as sleep } from "node:timers/promises";
import { platform } from "../platform/platform";

/** A decision may have been heard by nobody: whoever waits looks for itself this often. */
const LOOK_MS = 2_000;

/**
 * What of a turn is at work just now. A call that waits for people waits here as long as others of
 * the turn run, so that it runs as soon as it is decided; the turn is set aside when nothing does.
 */
export class TurnActivity {
  #active = 0;
  readonly #idle = new Set<() => void>();

  constructor(
    private readonly turnId: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Does work that keeps the turn busy. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#active++;
    try {
      return await work();
    } finally {
      this.#active--;
      this.#look();
    }
  }

  /** Waits, inside of work that keeps the turn busy, for something that counts by itself. */
  async aside<T>(wait: () => Promise<T>): Promise<T> {
    this.#active--;
    this.#look();
    try {
      return await wait();
    } finally {
      this.#active++;
    }
  }

  /**
   * Inside of work: waits for a reason to look at an approval again.
   * @returns false when nothing of the turn is at work any more. @throws what aborted the turn
   */
  decisionOrIdle(): Promise<boolean> {
    return this.aside(() => this.#decisionOrIdle());
  }

  async #decisionOrIdle(): Promise<boolean> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.signal, over.signal]);
    const timer = sleep(LOOK_MS, true, { signal }).catch(() => {
      this.signal.throwIfAborted();
      return true;
    });
    let unsubscribe: () => void = () => undefined;
    let isIdle: () => void = () => undefined;
    const heard = new Promise<boolean>((resolve) => {
      unsubscribe = platform().pubsub.subscribe("turn", (id) => {
        if (id === this.turnId) resolve(true);
      });
      isIdle = () => resolve(false);
      this.#idle.add(isIdle);
    });
    try {
      return await Promise.race([heard, timer]);
    } finally {
      unsubscribe();
      this.#idle.delete(isIdle);
      over.abort();
    }
  }

  /** What follows in the same turn of the event loop still counts as being at work. */
  #look(): void {
    setImmediate(() => {
      if (this.#active === 0) for (const isIdle of [...this.#idle]) isIdle();
    });
  }
}
