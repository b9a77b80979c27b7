import type { NewEvent } from "../../protocol/event";
import { appendAsOwner, type DeltaBatcher, type DeltaStream, type LogOwner } from "../sessions";
import { TurnFenced } from "./turn-error";

/** What one attempt of a turn writes, in order: buffered deltas always go first. */
export class TurnLog {
  readonly #deltas: DeltaStream;

  constructor(
    readonly owner: LogOwner,
    batcher: DeltaBatcher,
    onFenced: () => void,
  ) {
    this.#deltas = batcher.open(owner, onFenced);
  }

  /** Buffers a delta; the first of a step is urgent. */
  delta(event: NewEvent, urgent: boolean): void {
    this.#deltas.push(event, urgent);
  }

  /** Appends durably. @throws TurnFenced */
  async append(events: readonly NewEvent[]): Promise<void> {
    const before = await this.#deltas.drain();
    const appended = await appendAsOwner(this.owner, [...before, ...events]);
    if (appended.fenced) throw new TurnFenced();
  }

  /** Takes the deltas that a fenced write of another kind must put first. */
  drain(): Promise<NewEvent[]> {
    return this.#deltas.drain();
  }

  close(): void {
    this.#deltas.close();
  }
}
