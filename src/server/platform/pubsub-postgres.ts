import pg from "pg";
import type { Logger } from "./log";
import { type PubSub, TOPICS, type Topic } from "./pubsub";
import { Listeners } from "./pubsub-listeners";

const CHANNEL = "berth";
const SEND_EVERY_MS = 5;
const IDS_PER_NOTIFY = 200;
const RECONNECT_MS = 250;

interface Options {
  connectionString: string;
  log: Logger;
}

/** LISTEN/NOTIFY on one connection of its own. A message is `<topic> <id> <id> …`. */
export const createPostgresPubSub = (options: Options): PubSub => new PostgresPubSub(options);

class PostgresPubSub implements PubSub {
  readonly #options: Options;
  readonly #listeners = new Listeners();
  readonly #queued = new Map<Topic, Set<string>>(TOPICS.map((topic) => [topic, new Set()]));
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sentAt = 0;
  #sending: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#options.connectionString });
    client.on("notification", (message) => this.#hear(message.payload ?? ""));
    client.on("error", () => undefined); // `end` follows and reconnects
    client.on("end", () => this.#reconnect(client));
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    this.#client = client;
  }

  publish(topic: Topic, id: string): void {
    this.#queued.get(topic)?.add(id);
    // At once after a pause, else with everything of the last few milliseconds.
    const wait = Math.max(0, this.#sentAt + SEND_EVERY_MS - performance.now());
    this.#timer ??= setTimeout(() => void this.flush(), wait);
  }

  subscribe(topic: Topic, listener: (id: string) => void) {
    return this.#listeners.add(topic, listener);
  }

  onReconnect(listener: () => void) {
    return this.#listeners.addReconnect(listener);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sentAt = performance.now();
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    await this.#client?.end();
  }

  #hear(payload: string): void {
    const [topic, ...ids] = payload.split(" ");
    for (const id of ids) this.#listeners.call(topic as Topic, id);
  }

  async #send(): Promise<void> {
    const payloads = [...this.#queued].flatMap(([topic, ids]) => takePayloads(topic, ids));
    const client = this.#client;
    if (!client || payloads.length === 0) return;
    try {
      await client.query("SELECT pg_notify($1, p) FROM unnest($2::text[]) p", [CHANNEL, payloads]);
    } catch (error) {
      // Readers poll as well, so a lost wake costs time and nothing else.
      this.#options.log.warn({ err: error }, "wakes could not be sent");
    }
  }

  #reconnect(ended: pg.Client): void {
    if (this.#closed || (this.#client && this.#client !== ended)) return;
    this.#client = undefined;
    setTimeout(() => {
      if (this.#closed) return;
      this.start().then(
        () => this.#listeners.callReconnect(),
        (error) => {
          this.#options.log.warn({ err: error }, "the wake connection is down");
          this.#reconnect(ended);
        },
      );
    }, RECONNECT_MS);
  }
}

function takePayloads(topic: Topic, ids: Set<string>): string[] {
  const all = [...ids];
  ids.clear();
  const payloads: string[] = [];
  for (let i = 0; i < all.length; i += IDS_PER_NOTIFY) {
    payloads.push([topic, ...all.slice(i, i + IDS_PER_NOTIFY)].join(" "));
  }
  return payloads;
}
