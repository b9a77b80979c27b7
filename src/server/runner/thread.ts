import type { ResolvedModel } from "../models";
import type { StoredTurn } from "./read-conversation";
import type { OfferedTools } from "./tool-set";
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

/** How a thread stopped: with its final text, or because calls wait for people. */
export type ThreadEnd = { parked: false; text: string } | { parked: true };

/** The field that marks what a subagent logs; nothing for the agent itself. */
export const parentOf = ({ parentCallId }: Pick<Thread, "parentCallId">) =>
  parentCallId === "" ? {} : { parentCallId };
