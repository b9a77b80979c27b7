import { BrokenAnswer } from "./model-failure";
import type { ModelTiming } from "./model-timing";

/** Aborts a model call that says nothing for too long, from before its connection is made. */
export class SilenceWatch {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(private readonly timing: Pick<ModelTiming, "firstChunkMs" | "chunkMs">) {
    this.#timer = this.#after(timing.firstChunkMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A piece of the answer has come. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#after(this.timing.chunkMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #after(ms: number): NodeJS.Timeout {
    const silent = new BrokenAnswer(`the model said nothing for ${ms} ms`);
    return setTimeout(() => this.#controller.abort(silent), ms);
  }
}
