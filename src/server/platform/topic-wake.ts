import { platform } from "./platform";
import type { Topic } from "./pubsub";

/** How long a reader trusts the wakes before it looks for itself. */
const LOOK_AGAIN_MS = 2_000;

/** Remembers wakes for one id of a topic, so that none is missed between a look and the wait after it. */
export class TopicWake {
  #heard = false;
  #wake: (() => void) | undefined;
  readonly #unsubscribe: () => void;

  constructor(topic: Topic, id: string) {
    this.#unsubscribe = platform().pubsub.subscribe(topic, (heard) => {
      if (heard !== id) return;
      this.#heard = true;
      this.#wake?.();
    });
  }

  /** Resolves with the next wake, after two seconds, or when the signal aborts. */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#heard || signal?.aborted) {
      this.#heard = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, LOOK_AGAIN_MS);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
      signal?.addEventListener("abort", done, { once: true });
      this.#wake = done;
    });
    this.#wake = undefined;
    this.#heard = false;
  }

  close(): void {
    this.#unsubscribe();
  }
}
