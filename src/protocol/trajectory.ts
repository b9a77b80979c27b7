import type { EventData, SessionEvent, Usage } from "./event";
import type { JsonValue } from "./json";

export interface TrajectoryCall {
  callId: string;
  toolName: string;
  input: JsonValue;
  /** `null` while the call has no result. */
  result: JsonValue;
  isError: boolean;
  durationMs: number;
  parentCallId?: string;
}

/** What one turn did, as `run --json` and `trajectory --json` print it. */
export interface Trajectory {
  sessionId: string;
  turnId: string;
  status: "running" | "waiting" | "finished" | "failed" | "cancelled";
  reply: string;
  toolCalls: TrajectoryCall[];
  usage: Usage;
  costUsd?: number;
  error?: { code: string; message: string };
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

type Step = { calls: Map<string, TrajectoryCall>; pending: Set<string>; trajectory: Trajectory };

function request({ calls }: Step, data: EventData<"actions.requested">): void {
  for (const { callId, toolName, input, parentCallId } of data.calls) {
    const parent = parentCallId === undefined ? {} : { parentCallId };
    const call = { callId, toolName, input, result: null, isError: false, durationMs: 0 };
    calls.set(callId, { ...call, ...parent });
  }
}

function settle({ calls }: Step, data: EventData<"action.result">): void {
  const { callId, toolName, result, isError, durationMs } = data;
  const requested = calls.get(callId) ?? { callId, toolName, input: null };
  calls.set(callId, { ...requested, result, isError, durationMs });
}

function complete({ trajectory }: Step, data: EventData<"turn.completed">): void {
  trajectory.status = "finished";
  trajectory.reply = data.text;
  trajectory.usage = data.usage;
  if (data.costUsd !== undefined) trajectory.costUsd = data.costUsd;
}

function apply(step: Step, event: SessionEvent): void {
  switch (event.type) {
    case "actions.requested":
      request(step, event.data);
      return;
    case "action.result":
      settle(step, event.data);
      return;
    case "action.approval_requested":
      step.pending.add(event.data.callId);
      return;
    case "action.approval_resolved":
      step.pending.delete(event.data.callId);
      return;
    case "message.completed":
      // Until the turn has ended its newest whole text stands for the reply.
      if (event.data.parentCallId === undefined) step.trajectory.reply = event.data.text;
      return;
    case "turn.completed":
      complete(step, event.data);
      return;
    case "turn.failed":
      step.trajectory.status = event.data.status;
      step.trajectory.error = event.data.error;
      return;
    default:
      return;
  }
}

/**
 * Computes the trajectory of one turn from its session's events, in index order; those of other
 * turns are left out. Calls stand in the order in which they were first requested.
 */
export function trajectoryOf(
  events: Iterable<SessionEvent>,
  { sessionId, turnId }: { sessionId: string; turnId: string },
): Trajectory {
  const trajectory: Trajectory = {
    sessionId,
    turnId,
    status: "running",
    reply: "",
    toolCalls: [],
    usage: NO_USAGE,
  };
  const step: Step = { calls: new Map(), pending: new Set(), trajectory };
  for (const event of events) if (event.turnId === turnId) apply(step, event);
  trajectory.toolCalls = [...step.calls.values()];
  if (trajectory.status === "running" && step.pending.size > 0) trajectory.status = "waiting";
  return trajectory;
}
