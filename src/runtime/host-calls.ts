import type { HostMethod, HostMethods } from "../protocol/host-method";
import { type GuestFrame, type HostFrame, MAX_HOST_CALLS } from "../protocol/runtime-rpc";
import { callStore } from "./call-store";
import type { Send } from "./channel";
import { CodedError } from "./coded-error";

export type HostCaller = <M extends HostMethod>(
  method: M,
  params: HostMethods[M]["params"],
) => Promise<HostMethods[M]["result"]>;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

type HostAnswer = Extract<HostFrame, { t: "hres" }>;

/**
 * Calls from the agent process to its worker: what is more than runs at once waits here, in the
 * agent's own memory. Rejects with the worker's code and message.
 */
export class HostCalls {
  private readonly waiting = new Map<string, Waiting>();
  private readonly unsent: GuestFrame[] = [];
  private running = 0;
  private sequence = 0;

  constructor(private readonly send: Send) {}

  readonly call: HostCaller = (method, params) => {
    const id = `g${++this.sequence}`;
    const callId = callStore.getStore()?.callId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.unsent.push({
        t: "hcall",
        id,
        call: { method, params, ...(callId === undefined ? {} : { callId }) },
      });
      this.sendNext();
    });
  };

  /** Settles the call that this frame answers. */
  settle(frame: HostAnswer): void {
    const waiting = this.waiting.get(frame.id);
    if (!waiting) return;
    this.waiting.delete(frame.id);
    this.running--;
    this.sendNext();
    if (frame.error) waiting.reject(new CodedError(frame.error.code, frame.error.message));
    else waiting.resolve(frame.result ?? null);
  }
  private sendNext(): void {
    while (this.running < MAX_HOST_CALLS) {
      const frame = this.unsent.shift();
      if (!frame) return;
      this.running++;
      this.send(frame);
    }
  }
}
