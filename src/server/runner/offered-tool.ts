import type { JSONSchema7 } from "ai";
import type { ToolManifest } from "../../protocol/manifest";
import type { CallResult } from "./call-result";
import type { StoredCall } from "./read-conversation";
import type { Thread } from "./thread";

/** What became of one attempt of a call. `parked`: it waits for people and runs again later. */
export type RunOutcome = { state: "done"; result: CallResult } | { state: "parked" };

/** A tool as the runner knows it, whoever wrote it: authored, of the harness, or built in. */
export interface OfferedTool {
  /** Its own name, not the one that is made safe for providers. */
  name: string;
  description: string;
  inputSchema: JSONSchema7;
  /** `read` calls are repeated when their process was lost; others are reported to the model. */
  effect: ToolManifest["effect"];
  needsApproval: ToolManifest["needsApproval"];
  /** One attempt. Rejects with SandboxError, TurnFenced, TurnError. */
  run(thread: Thread, call: StoredCall): Promise<RunOutcome>;
}
