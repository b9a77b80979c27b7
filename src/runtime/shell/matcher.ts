import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { WITHOUT_SHIM } from "../shim/workers";
import { Refusal } from "./refusal";

/** Answers which of some texts a pattern matches, by their places. */
const SOURCE = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ pattern, texts }) =>
  parentPort.postMessage(texts.flatMap((text, at) => (pattern.test(text) ? [at] : []))));
`;
/** Enough for the largest file with any pattern that does not backtrack without end. */
const LONGEST_MS = 5000;

const tooSlow = (what: string): Refusal =>
  new Refusal(
    `${what} took longer than ${LONGEST_MS / 1000} s to match and was stopped. Make it simpler, with no repetition inside another, or search fewer files.`,
  );

function startThread(): Worker {
  const workerData = { [WITHOUT_SHIM]: true };
  try {
    return new Worker(SOURCE, { eval: true, execArgv: [], env: {}, workerData });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_INIT_FAILED") throw error;
    throw new Refusal("The search could not start: too many processes are running; end some.");
  }
}

/**
 * Holds texts against patterns on a thread of its own, which can be ended in the middle of one:
 * some patterns need longer than anybody waits, and the shell has other calls to answer.
 */
export class Matcher {
  private readonly thread = startThread();

  constructor(private readonly signal: AbortSignal) {
    // Whoever waits for an answer gets it; one that comes after that must not end the shell.
    this.thread.on("error", () => undefined);
  }

  /**
   * The places of the texts that match. `what` names the pattern for the Refusal it throws when
   * this takes longer than 5 s, or the pattern cannot be used; afterwards it answers nothing more.
   */
  async find(what: string, pattern: RegExp, texts: readonly string[]): Promise<number[]> {
    const late = new AbortController();
    const signal = AbortSignal.any([this.signal, late.signal]);
    const timer = setTimeout(() => late.abort(), LONGEST_MS);
    try {
      const answered = once(this.thread, "message", { signal });
      this.thread.postMessage({ pattern, texts });
      const [places] = (await answered) as [number[]];
      return places;
    } catch (thrown) {
      if (this.signal.aborted) throw new Refusal("The search was stopped.");
      if (late.signal.aborted) throw tooSlow(what);
      throw new Refusal(`${what} cannot be used: ${(thrown as Error).message}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.thread.terminate();
  }
}

/** Runs `use` with a matcher, and ends its thread. `signal` ends a search under way. */
export async function withMatcher<T>(
  signal: AbortSignal,
  use: (matcher: Matcher) => Promise<T>,
): Promise<T> {
  const matcher = new Matcher(signal);
  try {
    return await use(matcher);
  } finally {
    await matcher.close();
  }
}
