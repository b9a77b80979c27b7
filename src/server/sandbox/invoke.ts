import type { RuntimeCall } from "../../protocol/runtime-rpc";
import type { AgentRef } from "./agent-ref";
import type { CallOptions } from "./driver";

export interface InvokeOptions extends CallOptions {
  /** The call changes nothing, so it may be sent again after its worker was lost. */
  repeatable?: boolean;
}

/** Runs a call in a version's agent process, wherever that is. Rejects with SandboxError. */
export type Invoke = (ref: AgentRef, call: RuntimeCall, options: InvokeOptions) => Promise<unknown>;

let provided: Invoke | undefined;

/** Says how this process reaches agent processes: its own, or those of the workers. */
export function provideInvoke(invoke: Invoke | undefined): void {
  provided = invoke;
}

/** Runs a call in a version's agent process. Rejects with SandboxError. */
export const invoke: Invoke = (ref, call, options) => {
  if (!provided) throw new Error("no way to agent processes: call provideInvoke() first");
  return provided(ref, call, options);
};
