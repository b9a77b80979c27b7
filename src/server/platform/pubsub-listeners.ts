import { TOPICS, type Topic, type Unsubscribe } from "./pubsub";

/** The message of a process whose wakes were lost: whoever hears it looks for what it missed. */
export const LOOK_YOURSELVES = "!";

/** The listeners of one process, for every implementation of the port. */
export class Listeners {
  readonly #byTopic = new Map<Topic, Set<(id: string) => void>>(
    TOPICS.map((topic) => [topic, new Set()]),
  );
  readonly #reconnect = new Set<() => void>();

  add(topic: Topic, listener: (id: string) => void): Unsubscribe {
    const set = this.#byTopic.get(topic);
    set?.add(listener);
    return () => set?.delete(listener);
  }

  addReconnect(listener: () => void): Unsubscribe {
    this.#reconnect.add(listener);
    return () => this.#reconnect.delete(listener);
  }

  /** Hands a message of a `PubSubOutbox` to those it is for. */
  hear(message: string): void {
    if (message === LOOK_YOURSELVES) {
      this.callReconnect();
      return;
    }
    const [topic, ...ids] = message.split(" ");
    const listeners = this.#byTopic.get(topic as Topic) ?? [];
    for (const id of ids) for (const listener of listeners) listener(id);
  }

  callReconnect(): void {
    for (const listener of this.#reconnect) listener();
  }
}
