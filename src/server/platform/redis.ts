import { setTimeout as delay } from "node:timers/promises";
import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "./log";

const CONNECT_MS = 2_000;
const LONGEST_RETRY_MS = 1_000;

type ClientOptions = Omit<RedisOptions, "replyMapping">;

interface Options {
  /** `redis://` or `rediss://`, with the number of the database as its path. */
  url: string;
  log: Logger;
}

/** Resolves when the connection answers, or when the patience for a Redis that is away has ended. */
export const connected = (client: Redis, patienceMs = CONNECT_MS): Promise<unknown> =>
  Promise.race([
    new Promise<void>((resolve) => client.once("ready", () => resolve())),
    delay(patienceMs, undefined, { ref: false }),
  ]);

/**
 * The connections of this process to one Redis. Each is remade for as long as it takes, at most
 * every second; that Redis is away is said once per outage, and once that it is back.
 */
export class RedisConnections {
  readonly #options: Options;
  readonly #clients = new Set<Redis>();
  readonly #away = new Set<Redis>();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The number of the database that the URL names: what keeps installations apart. */
  get database(): number {
    return Number(new URL(this.#options.url).pathname.slice(1) || 0);
  }

  /** Opens a connection. What a library duplicates from it is one of ours as well. */
  open(options: ClientOptions = {}): Redis {
    const client = new Redis(this.#options.url, {
      connectTimeout: CONNECT_MS,
      retryStrategy: (attempt) => Math.min(50 * attempt, LONGEST_RETRY_MS),
      ...options,
    });
    let last: Error | undefined;
    client.duplicate = (override) => this.open({ ...options, ...override });
    client.on("error", (error: Error) => {
      last = error;
    });
    client.on("reconnecting", () => this.#lost(client, last));
    client.on("ready", () => this.#back(client));
    this.#clients.add(client);
    return client;
  }

  /** Cuts every connection; commands on their way are rejected. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.disconnect();
  }

  #lost(client: Redis, error: Error | undefined): void {
    const first = this.#away.size === 0 && !this.#closed;
    this.#away.add(client);
    if (first) this.#options.log.warn({ err: error }, "Redis is away; trying until it is back");
  }

  #back(client: Redis): void {
    if (!this.#away.delete(client) || this.#away.size > 0) return;
    this.#options.log.info("Redis is back");
  }
}
