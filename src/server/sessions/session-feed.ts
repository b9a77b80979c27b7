import { LogChunk } from "./log-chunk";
import { PageCache } from "./page-cache";
import { type EventPage, readEvents, type SessionStatus } from "./read-events";

/** Newest chunks kept for readers who are close behind; others read the log themselves. */
const KEPT_CHUNKS = 8;
const UNKNOWN = -1;

export type FeedState = SessionStatus | "deleted";

/**
 * The growing end of one session's log in this process: read once from Postgres per wake, however
 * many follow it. It keeps a few chunks and never a queue per reader.
 */
export class SessionFeed {
  readers = 0;
  readonly pages = new PageCache();
  #chunks: LogChunk[] = [];
  #end = UNKNOWN;
  #state: FeedState = "waiting";
  #version = 0;
  #reading: Promise<void> | undefined;
  #stale = false;
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly orgId: string,
    readonly sessionId: string,
  ) {}

  get state(): FeedState {
    return this.#state;
  }

  /** Up to where the log has been read; -1 before the first reader caught up. */
  get end(): number {
    return this.#end;
  }

  /** Rises with every growth and change of state. */
  get version(): number {
    return this.#version;
  }

  /** The chunk that begins at an index, if it is still kept. */
  chunkAt(index: number): LogChunk | undefined {
    return this.#chunks.find((chunk) => chunk.first === index);
  }

  /** A reader has seen the log up to here: from now on the feed reads on from there. */
  begin(length: number): void {
    if (length <= this.#end) return;
    this.#end = length;
    this.wake();
  }

  /** Resolves once the version is past the given one, or the signal aborts. */
  async pastVersion(version: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#version !== version || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener("abort", done);
    });
  }

  /** Reads what is new, in the background. Calls during a read lead to one more read. */
  wake(onError: (error: unknown) => void = () => undefined): void {
    this.#stale = true;
    this.#reading ??= this.#read()
      .catch(onError)
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #read(): Promise<void> {
    while (this.#stale && this.#end !== UNKNOWN) {
      this.#stale = false;
      this.#take(await readEvents(this.orgId, this.sessionId, this.#end));
    }
  }

  #take(page: EventPage | undefined): void {
    if (page === undefined) {
      if (this.#state !== "deleted") this.#announce("deleted");
      return;
    }
    const grown = page.lines.length > 0;
    if (grown) this.#keep(new LogChunk(page.first, page.lines));
    const whole = page.next === page.length;
    if (grown && !whole) this.#stale = true;
    // An end counts only once everything before it has been read.
    const state = whole ? page.status : this.#state;
    if (grown || state !== this.#state) this.#announce(state);
  }

  #keep(chunk: LogChunk): void {
    this.#end = chunk.next;
    this.#chunks.push(chunk);
    if (this.#chunks.length > KEPT_CHUNKS) this.#chunks.shift();
  }

  #announce(state: FeedState): void {
    this.#state = state;
    this.#version++;
    for (const done of [...this.#waiting]) done();
  }
}
