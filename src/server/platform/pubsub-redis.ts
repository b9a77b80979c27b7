import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "./log";
import type { PubSub, Topic } from "./pubsub";
import { Listeners } from "./pubsub-listeners";
import { PubSubOutbox } from "./pubsub-outbox";
import { connected, type RedisConnections } from "./redis";

const START_MS = 2_000;
const COMMAND_MS = 2_000;
const BEAT_MS = 5_000;

interface Options {
  redis: RedisConnections;
  log: Logger;
  /** Kept in front of the channel's name, so that tests share a Redis. */
  prefix?: string;
}

/** PUBLISH and SUBSCRIBE on a connection each. A Redis that is away delays wakes, never a start. */
export const createRedisPubSub = (options: Options): PubSub => new RedisPubSub(options);

class RedisPubSub implements PubSub {
  readonly #options: Options;
  readonly #channel: string;
  readonly #listeners = new Listeners();
  readonly #outbox: PubSubOutbox;
  #publisher: Redis | undefined;
  #subscriber: Redis | undefined;
  #beat: NodeJS.Timeout | undefined;
  /** Whether the subscriber of this connection hears the channel. */
  #hearing = false;
  #started = false;

  constructor(options: Options) {
    this.#options = options;
    // Redis keeps channels for all of its databases together.
    this.#channel = `${options.prefix ?? "berth"}:${options.redis.database}:wakes`;
    const send = (messages: string[]) => this.#send(messages);
    this.#outbox = new PubSubOutbox({ send, log: options.log });
  }

  async start(): Promise<void> {
    const { redis } = this.#options;
    const publisher = redis.open({
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: COMMAND_MS,
    });
    const subscriber = redis.open({ autoResubscribe: false, commandTimeout: COMMAND_MS });
    subscriber.on("message", (_channel, message) => this.#listeners.hear(message));
    subscriber.on("close", () => {
      this.#hearing = false;
    });
    this.#publisher = publisher;
    this.#subscriber = subscriber;
    const subscribed = new Promise<void>((resolve) => {
      subscriber.on("ready", () => void this.#subscribe(subscriber).then(resolve));
    });
    await Promise.race([
      Promise.all([connected(publisher, START_MS), subscribed]),
      delay(START_MS),
    ]);
    this.#started = true;
    this.#beat = setInterval(() => void this.#look(subscriber), BEAT_MS);
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
    clearInterval(this.#beat);
    await this.#outbox.close();
    this.#publisher?.disconnect();
    this.#subscriber?.disconnect();
  }

  async #send(messages: string[]): Promise<void> {
    const publisher = this.#publisher;
    if (!publisher) throw new Error("pubsub is not started");
    await Promise.all(messages.map((message) => publisher.publish(this.#channel, message)));
  }

  async #subscribe(subscriber: Redis): Promise<void> {
    try {
      await subscriber.subscribe(this.#channel);
      this.#hearing = true;
      // Until now nothing was heard: whoever reads already must look for what it missed.
      if (this.#started) this.#listeners.callReconnect();
    } catch (error) {
      this.#options.log.warn({ err: error }, "wakes cannot be heard");
    }
  }

  /** Finds a connection that is dead without having been closed, and one that was refused. */
  async #look(subscriber: Redis): Promise<void> {
    if (subscriber.status !== "ready") return;
    if (!this.#hearing) return this.#subscribe(subscriber);
    try {
      await subscriber.ping();
    } catch (error) {
      this.#options.log.debug({ err: error }, "the connection that hears wakes is dead");
      subscriber.disconnect(true);
    }
  }
}
