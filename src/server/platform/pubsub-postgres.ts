import pg from "pg";
import type { Logger } from "./log";
import type { PubSub, Topic } from "./pubsub";
import { Listeners } from "./pubsub-listeners";
import { PubSubOutbox } from "./pubsub-outbox";

const CHANNEL = "berth";
const RECONNECT_MS = 250;

interface Options {
  connectionString: string;
  log: Logger;
}

/** LISTEN/NOTIFY on one connection of its own. */
export const createPostgresPubSub = (options: Options): PubSub => new PostgresPubSub(options);

class PostgresPubSub implements PubSub {
  readonly #options: Options;
  readonly #listeners = new Listeners();
  readonly #outbox: PubSubOutbox;
  #client: pg.Client | undefined;
  #down = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
    const send = (messages: string[]) => this.#notify(messages);
    this.#outbox = new PubSubOutbox({ send, log: options.log });
  }

  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#options.connectionString });
    client.on("notification", (message) => this.#listeners.hear(message.payload ?? ""));
    client.on("error", () => undefined); // `end` follows, or the attempt has failed
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closed) return client.end();
    client.once("end", () => this.#lost());
    this.#client = client;
  }

  publish(topic: Topic, id: string): void {
    this.#outbox.publish(topic, id);
  }

  subscribe(topic: Topic, listener: (id: string) => void) {
    return this.#listeners.add(topic, listener);
  }

  onReconnect(listener: () => void) {
    return this.#listeners.addReconnect(listener);
  }

  flush(): Promise<void> {
    return this.#outbox.flush();
  }

  async close(): Promise<void> {
    await this.#outbox.close();
    this.#closed = true;
    await this.#client?.end();
  }

  async #notify(messages: string[]): Promise<void> {
    if (!this.#client) throw new Error("the wake connection is down");
    const text = "SELECT pg_notify($1, message) FROM unnest($2::text[]) message";
    await this.#client.query(text, [CHANNEL, messages]);
  }

  #lost(): void {
    this.#client = undefined;
    this.#reconnect();
  }

  /** Tries again until it works, one attempt at a time. */
  #reconnect(): void {
    if (this.#closed) return;
    setTimeout(() => {
      if (this.#closed) return;
      this.start().then(
        () => this.#returned(),
        (error) => {
          if (!this.#down) this.#options.log.warn({ err: error }, "the wake connection is down");
          this.#down = true;
          this.#reconnect();
        },
      );
    }, RECONNECT_MS);
  }

  #returned(): void {
    if (this.#down) this.#options.log.info("the wake connection is back");
    this.#down = false;
    this.#listeners.callReconnect();
  }
}
