import type { JSONSchema7, ToolSet } from "ai";
import type { NewEvent } from "../../protocol/event";
import type { ToolManifest } from "../../protocol/manifest";
import type { ResolvedModel } from "../models";
import type { CallResult } from "./call-result";
import type { StoredCall, StoredTurn } from "./read-conversation";
import type { TurnContext } from "./turn-context";

/** One conversation with a model inside a turn: the agent's own, or that of a subagent. */
export interface Thread {
  turn: TurnContext;
  /** The `task` call that this subagent serves; empty for the agent itself. */
  parentCallId: string;
  model: ResolvedModel;
  /** Those that answer a step in its place, in this order, when it cannot be had. */
  fallbacks: readonly ResolvedModel[];
  instructions: string;
  tools: OfferedTools;
  /** What came before, oldest first; its last turn is `own`. */
  history: StoredTurn[];
  own: StoredTurn;
}

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

/** The tools of a thread, as the model sees them and by both of their names. */
export interface OfferedTools {
  /** Definitions for the model, without executors. */
  set: ToolSet;
  /** The tool by the name the model uses. */
  byProviderName: ReadonlyMap<string, OfferedTool>;
  byName: ReadonlyMap<string, OfferedTool>;
}

/** How a thread stopped: with its final text, or because calls wait for people. */
export type ThreadEnd = { parked: false; text: string } | { parked: true };

/** The field that marks what a subagent logs; nothing for the agent itself. */
export const parentOf = ({ parentCallId }: Pick<Thread, "parentCallId">) =>
  parentCallId === "" ? {} : { parentCallId };

export const done = (result: CallResult, changed = false): DoneCall => ({
  state: "done",
  result,
  changed,
});
