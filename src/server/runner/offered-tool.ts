import type { JSONSchema7 } from "ai";
import type { NewEvent } from "../../protocol/event";
import type { ToolManifest } from "../../protocol/manifest";
import type { CallResult } from "./call-result";
import type { StoredCall } from "./read-conversation";
import type { Thread } from "./thread";

/** A call that has its result. */
export interface DoneCall {
  state: "done";
  result: CallResult;
  /** The workspace may be different now, so it is saved with the result. */
  changed?: boolean;
  /** What is logged right before the result. */
  events?: NewEvent[];
}

/** What became of one attempt of a call. `parked`: it waits for people and runs again later. */
export type RunOutcome = DoneCall | { state: "parked" };

/** A tool as the runner knows it, whoever wrote it: authored, of the harness, or built in. */
export interface OfferedTool {
  /** Its own name, not the one that is made safe for providers. */
  name: string;
  description: string;
  inputSchema: JSONSchema7;
  /** `read` calls are repeated when their process was lost; others are reported to the model. */
  effect: ToolManifest["effect"];
  needsApproval: ToolManifest["needsApproval"];
  /** Runs a thread of its own: an interrupted call goes on where it was; subagents have none. */
  delegates?: boolean;
  /** What the system prompt says about it. */
  prompt?: string;
  /** What is logged together with the request of a call. */
  announce?(call: StoredCall): NewEvent[];
  /** One attempt. Rejects with SandboxError, TurnFenced, TurnError. */
  run(thread: Thread, call: StoredCall): Promise<RunOutcome>;
}

export const done = (result: CallResult, changed = false): DoneCall => ({
  state: "done",
  result,
  changed,
});
