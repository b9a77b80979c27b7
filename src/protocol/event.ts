import { z } from "zod";

const Json = z.json();
const TurnError = z.object({ code: z.string(), message: z.string() });
const Usage = z.object({
  /** All input tokens, those read from and written to a cache included. */
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
export type Usage = z.infer<typeof Usage>;

const Block = z.object({
  step: z.number(),
  blockId: z.string(),
  /** The `task` call whose subagent says this. */
  parentCallId: z.string().optional(),
});
const RequestedCall = z.object({
  callId: z.string(),
  toolName: z.string(),
  input: Json,
  parentCallId: z.string().optional(),
});

/** The data of every event, by type (SPEC 4). One table for writers, readers, clients and UI. */
export const EVENT_DATA = {
  "session.started": z.object({
    channel: z.string(),
    mode: z.enum(["chat", "task"]),
    principal: z.string(),
    title: z.string().optional(),
  }),
  "session.waiting": z.object({}),
  "session.completed": z.object({ text: z.string() }),
  "session.failed": z.object({ error: TurnError }),
  "message.received": z.object({ messageId: z.string(), text: z.string(), principal: z.string() }),
  "message.delivered": z.object({ messageIds: z.array(z.string()), turnId: z.string() }),
  "turn.queued": z.object({ position: z.number() }),
  "turn.started": z.object({
    turnId: z.string(),
    messageIds: z.array(z.string()),
    model: z.string(),
    attempt: z.number(),
    version: z.number(),
  }),
  "turn.completed": z.object({
    status: z.literal("finished"),
    text: z.string(),
    usage: Usage,
    costUsd: z.number().optional(),
    durationMs: z.number(),
  }),
  "turn.failed": z.object({ status: z.enum(["failed", "cancelled"]), error: TurnError }),
  "step.started": z.object({ step: z.number() }),
  "step.completed": z.object({ step: z.number(), durationMs: z.number() }),
  "reasoning.appended": Block.extend({ delta: z.string() }),
  "reasoning.completed": Block.extend({ text: z.string() }),
  "message.appended": Block.extend({ delta: z.string() }),
  "message.completed": Block.extend({ text: z.string(), finishReason: z.string() }),
  "actions.requested": z.object({ calls: z.array(RequestedCall) }),
  "action.result": z.object({
    callId: z.string(),
    toolName: z.string(),
    isError: z.boolean(),
    result: Json,
    durationMs: z.number(),
    stubbed: z.boolean().optional(),
    parentCallId: z.string().optional(),
  }),
  "actions.completed": z.object({ callIds: z.array(z.string()) }),
  "action.tool_retry": z.object({ callId: z.string(), attempt: z.number(), error: z.string() }),
  "action.approval_requested": z.object({
    callId: z.string(),
    toolName: z.string(),
    input: Json,
    expiresAt: z.string(),
  }),
  "action.approval_resolved": z.object({
    callId: z.string(),
    decision: z.enum(["approve", "deny"]),
    by: z.string(),
    reason: z.string().optional(),
  }),
  "subagent.called": z.object({ callId: z.string(), subagent: z.string(), prompt: z.string() }),
  "subagent.completed": z.object({ callId: z.string(), status: z.string(), text: z.string() }),
  "artifact.tagged": z.object({
    artifactId: z.string(),
    kind: z.string(),
    key: z.string(),
    title: z.string().optional(),
  }),
  "context.compacted": z.object({
    fromStep: z.number(),
    beforeTokens: z.number(),
    afterTokens: z.number(),
  }),
} as const;

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = z.infer<(typeof EVENT_DATA)[T]>;

/** An event before the log gives it its index and time. */
export type NewEvent = {
  [T in EventType]: { type: T; turnId?: string | undefined; data: EventData<T> };
}[EventType];

/** One line of a session's log: index from 0 without holes, `at` an ISO-8601 instant in UTC. */
export type SessionEvent = {
  [T in EventType]: {
    type: T;
    index: number;
    sessionId: string;
    turnId?: string | undefined;
    at: string;
    data: EventData<T>;
  };
}[EventType];

/** Error codes a turn may end with (SPEC 4). */
export const TURN_ERROR_CODES = [
  "step_limit",
  "turn_timeout",
  "token_limit",
  "budget_exceeded",
  "model_not_configured",
  "model_error",
  "model_rate_limited",
  "attempts_exhausted",
  "result_rejected",
  "no_text",
  "version_missing",
  "workspace_unavailable",
  "cancelled",
] as const;
export type TurnErrorCode = (typeof TURN_ERROR_CODES)[number];

/** The last line of a stream that ended for good; it has no index. */
export interface StreamEnd {
  type: "stream.end";
  reason: "completed" | "failed" | "deleted" | "tail";
}
