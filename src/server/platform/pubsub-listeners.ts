import { TOPICS, type Topic, type Unsubscribe } from "./pubsub";

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

  call(topic: Topic, id: string): void {
    for (const listener of this.#byTopic.get(topic) ?? []) listener(id);
  }

  callReconnect(): void {
    for (const listener of this.#reconnect) listener();
  }
}
