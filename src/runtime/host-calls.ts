import type { HostMethod, HostMethods } from "../protocol/host-method";
import type { HostFrame } from "../protocol/runtime-rpc";
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

/** Calls from the agent process to its worker. Rejects with the worker's code and message. */
export class HostCalls {
  private readonly waiting = new Map<string, Waiting>();
  private sequence = 0;

  constructor(private readonly send: Send) {}

  readonly call: HostCaller = (method, params) => {
    const id = `g${++this.sequence}`;
    const callId = callStore.getStore()?.callId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.send({
        t: "hcall",
        id,
        call: { method, params, ...(callId === undefined ? {} : { callId }) },
      });
    });
  };

  /** Settles the call that this frame answers. */
  settle(frame: HostAnswer): void {
    const waiting = this.waiting.get(frame.id);
    if (!waiting) return;
    this.waiting.delete(frame.id);
    if (frame.error) waiting.reject(new CodedError(frame.error.code, frame.error.message));
    else waiting.resolve(frame.result ?? null);
  }
}
