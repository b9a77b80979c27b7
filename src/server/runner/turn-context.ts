import type { CallSession } from "../../protocol/runtime-rpc";
import type { Claim } from "../turns";
import type { AgentRef, PreparedAgent, RunnerPorts, TurnWorkspace } from "./ports";
import type { TurnActivity } from "./turn-activity";
import type { TurnLog } from "./turn-log";

/** Everything the parts of one attempt of a turn share. */
export interface TurnContext {
  claim: Claim;
  ref: AgentRef;
  agent: PreparedAgent;
  ports: RunnerPorts;
  log: TurnLog;
  session: CallSession;
  workspace: TurnWorkspace;
  /** What of the turn is at work just now. */
  activity: TurnActivity;
  /** Calls that an earlier attempt of the turn had asked for. */
  resumed: Set<string>;
  /** Aborts when the turn is fenced, stopped or out of time. */
  signal: AbortSignal;
  /** Aborts it: the turn cannot go on. */
  abort(reason: unknown): void;
}
