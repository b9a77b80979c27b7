import type { BuildLogEntry } from "../../protocol/build-log";
import { platform } from "../platform/platform";
import { withSqlTransaction } from "../platform/transaction";
import { appendLog, type BuildLease, LeaseLost } from "./build-lease";

const FLUSH_MS = 100;
const ENTRIES_PER_FLUSH = 500;
const MAX_TEXT = 8_192;

/** Writes a build's log in small batches, in order. */
export class BuildLog {
  readonly #lease: BuildLease;
  readonly #lost: (error: unknown) => void;
  #waiting: BuildLogEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param lost told when the log cannot be written any more, so that the build stops */
  constructor(lease: BuildLease, lost: (error: unknown) => void) {
    this.#lease = lease;
    this.#lost = lost;
  }

  write(entry: BuildLogEntry): void {
    this.#waiting.push(
      entry.type === "log" ? { ...entry, text: entry.text.slice(0, MAX_TEXT) } : entry,
    );
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS);
  }

  /** Resolves when everything written so far is stored. @throws LeaseLost. */
  async settle(): Promise<void> {
    await this.#flush();
    await this.#writing;
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#store());
    // Whoever settles the log meets the same error.
    return this.#writing.catch((error) => {
      if (!(error instanceof LeaseLost)) {
        platform().log.error({ err: error }, "a build log could not be written");
      }
      this.#lost(error);
    });
  }

  async #store(): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.splice(0, ENTRIES_PER_FLUSH);
      await withSqlTransaction(this.#lease.orgId, (tx) => appendLog(tx, this.#lease, entries));
    }
  }
}
