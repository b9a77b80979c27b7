import { LogChunk } from "./log-chunk";
import type { EventPage } from "./read-events";

/** Pages kept for readers that replay at about the same pace. */
const KEPT = 16;

type Load = (index: number) => Promise<EventPage | undefined>;

/**
 * The pages of one session that were read last, by their first index: many who replay at once cost
 * one read and one copy. What is in the log never changes, so a page may be shown to anybody who
 * asks for its place, whenever it was read.
 */
export class PageCache {
  readonly #chunks = new Map<number, LogChunk>();
  readonly #reading = new Map<number, Promise<EventPage | undefined>>();

  at(index: number): LogChunk | undefined {
    return this.#chunks.get(index);
  }

  /** Reads the page at an index; readers who ask meanwhile wait for the same one. */
  read(index: number, load: Load): Promise<EventPage | undefined> {
    const running = this.#reading.get(index);
    if (running !== undefined) return running;
    const started = load(index).finally(() => this.#reading.delete(index));
    this.#reading.set(index, started);
    return started;
  }

  /** The page encoded once, kept while it is among the newest. */
  keep({ first, lines }: EventPage): LogChunk {
    const known = this.#chunks.get(first);
    if (known) return known;
    const chunk = new LogChunk(first, lines);
    this.#chunks.set(first, chunk);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > KEPT && oldest !== undefined) this.#chunks.delete(oldest);
    return chunk;
  }
}
