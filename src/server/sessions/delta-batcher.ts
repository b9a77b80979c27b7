import type { NewEvent } from "../../protocol/event";
import { platform } from "../platform/platform";
import { appendDeltas } from "./append-deltas";
import type { LogOwner } from "./log-owner";
import { mergeDeltas } from "./merge-deltas";

const TICK_MS = 25;
const TICK_EVENTS = 100;

/** The deltas of one turn on their way to the log. */
export interface DeltaStream {
  /** Buffers a delta; `urgent` ones are written at once. */
  push(delta: NewEvent, urgent: boolean): void;
  /** Waits for what is being written and takes the rest, to go in front of a durable append. */
  drain(): Promise<NewEvent[]>;
  close(): void;
}

/** Writes the deltas of all turns of a process: every 25 ms or 100 events, one statement at a time. */
export class DeltaBatcher {
  readonly #streams = new Set<Stream>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #again = false;

  /** Opens a turn's deltas. `onFenced` is called once, when the log refuses them for good. */
  open(owner: LogOwner, onFenced: () => void): DeltaStream {
    const stream = new Stream(owner, onFenced, this);
    this.#streams.add(stream);
    return stream;
  }

  /** Whatever is being written now. */
  settled(): Promise<void> {
    return this.#writing ?? Promise.resolve();
  }

  wake(urgent: boolean): void {
    if (urgent || this.#buffered() >= TICK_EVENTS) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), TICK_MS);
  }

  forget(stream: Stream): void {
    this.#streams.delete(stream);
  }

  #buffered(): number {
    let count = 0;
    for (const stream of this.#streams) count += stream.buffer.length;
    return count;
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    // Deltas of the same turn of the event loop join the same statement.
    this.#writing = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#writeBatch())
      .finally(() => {
        this.#writing = undefined;
        if (this.#again) this.#write();
        else if (this.#buffered() > 0) this.wake(false);
      });
  }

  async #writeBatch(): Promise<void> {
    const batch = [...this.#streams].filter((stream) => stream.buffer.length > 0);
    if (batch.length === 0) return;
    const taken = batch.map((stream) => ({ owner: stream.owner, events: stream.take() }));
    try {
      const outcomes = await appendDeltas(taken);
      batch.forEach((stream, i) => {
        if (outcomes[i] === "locked") stream.putBack(taken[i]?.events ?? []);
        if (outcomes[i] === "fenced") stream.fence();
      });
    } catch (error) {
      // The database is away: keep the text, the next tick tries again.
      platform().log.warn({ err: error }, "deltas could not be written");
      batch.forEach((stream, i) => {
        stream.putBack(taken[i]?.events ?? []);
      });
    }
  }
}

class Stream implements DeltaStream {
  buffer: NewEvent[] = [];
  #closed = false;

  constructor(
    readonly owner: LogOwner,
    private readonly onFenced: () => void,
    private readonly batcher: DeltaBatcher,
  ) {}

  push(delta: NewEvent, urgent: boolean): void {
    if (this.#closed) return;
    mergeDeltas(this.buffer, delta);
    this.batcher.wake(urgent);
  }

  take(): NewEvent[] {
    const events = this.buffer;
    this.buffer = [];
    return events;
  }

  putBack(events: NewEvent[]): void {
    if (this.#closed) return;
    const newer = this.buffer;
    this.buffer = events;
    for (const event of newer) mergeDeltas(this.buffer, event);
  }

  async drain(): Promise<NewEvent[]> {
    await this.batcher.settled();
    return this.take();
  }

  fence(): void {
    this.close();
    this.onFenced();
  }

  close(): void {
    this.#closed = true;
    this.buffer = [];
    this.batcher.forget(this);
  }
}
