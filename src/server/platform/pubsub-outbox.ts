import type { Logger } from "./log";
import { TOPICS, type Topic } from "./pubsub";
import { LOOK_YOURSELVES } from "./pubsub-listeners";

const SEND_EVERY_MS = 5;
const IDS_PER_MESSAGE = 200;
const RETRY_MS = 250;

interface Options {
  /** Sends messages; rejects unless all of them are on their way. */
  send: (messages: string[]) => Promise<unknown>;
  log: Logger;
}

/**
 * Wakes on their way out, for every implementation of the port: merged for a few milliseconds, a
 * message being `<topic> <id> <id> …`. What cannot be sent is not kept: as soon as something can be
 * sent again, every process is told to look for itself.
 */
export class PubSubOutbox {
  readonly #options: Options;
  readonly #queued = new Map<Topic, Set<string>>(TOPICS.map((topic) => [topic, new Set()]));
  #timer: NodeJS.Timeout | undefined;
  #sentAt = 0;
  #sending: Promise<void> = Promise.resolve();
  #lost = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  publish(topic: Topic, id: string): void {
    this.#queued.get(topic)?.add(id);
    // At once after a pause, else with everything of the last few milliseconds.
    this.#flushIn(Math.max(0, this.#sentAt + SEND_EVERY_MS - performance.now()));
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sentAt = performance.now();
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  /** Sends what is queued and tries nothing again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #flushIn(ms: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => void this.flush(), ms);
  }

  async #send(): Promise<void> {
    const messages = [...this.#queued].flatMap(([topic, ids]) => takeMessages(topic, ids));
    if (this.#lost) messages.unshift(LOOK_YOURSELVES);
    if (messages.length === 0) return;
    try {
      await this.#options.send(messages);
      if (this.#lost) this.#options.log.info("wakes are sent again");
      this.#lost = false;
    } catch (error) {
      if (!this.#lost) this.#options.log.warn({ err: error }, "wakes could not be sent");
      this.#lost = true;
      this.#flushIn(RETRY_MS);
    }
  }
}

function takeMessages(topic: Topic, ids: Set<string>): string[] {
  const all = [...ids];
  ids.clear();
  const messages: string[] = [];
  for (let i = 0; i < all.length; i += IDS_PER_MESSAGE) {
    messages.push([topic, ...all.slice(i, i + IDS_PER_MESSAGE)].join(" "));
  }
  return messages;
}
