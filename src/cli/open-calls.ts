import type { SessionEvent } from "../protocol/event";

/** The calls of a turn that have no result yet, and which of them wait for a person. */
export class OpenCalls {
  /** Open calls, with the call whose subagent asked for each. */
  readonly #open = new Map<string, string | undefined>();
  readonly #pending = new Set<string>();

  apply(event: SessionEvent): void {
    switch (event.type) {
      case "actions.requested":
        for (const { callId, parentCallId } of event.data.calls) {
          this.#open.set(callId, parentCallId);
        }
        return;
      case "action.approval_requested":
        this.#pending.add(event.data.callId);
        return;
      case "action.approval_resolved":
        this.#pending.delete(event.data.callId);
        return;
      case "action.result":
        this.#open.delete(event.data.callId);
        this.#pending.delete(event.data.callId);
        return;
      default:
        return;
    }
  }

  /** Calls that wait, when nothing of the turn goes on before somebody decides; else none. */
  waiting(): string[] {
    const parents = new Set(this.#open.values());
    const busy = [...this.#open.keys()].some(
      (callId) => !this.#pending.has(callId) && !parents.has(callId),
    );
    return busy ? [] : [...this.#pending];
  }
}
