import { z } from "zod";
import type { SessionView } from "../../sessions";

const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
});

export const SentAnswer = z
  .object({
    ok: z.literal(true),
    sessionId: z.string(),
    continuationToken: z.string(),
    messageId: z.string(),
    turnId: z.string().nullable(),
    streamUrl: z.url(),
    traceUrl: z.url(),
    playgroundUrl: z.url(),
  })
  .meta({ id: "SentMessage" });

export const Session = z
  .object({
    sessionId: z.string(),
    status: z.enum(["waiting", "queued", "running", "parked", "completed", "failed"]),
    mode: z.enum(["chat", "task"]),
    channel: z.string(),
    principal: z.string(),
    title: z.string().nullable(),
    metadata: z.unknown(),
    dryRun: z.boolean(),
    asOf: z.string().nullable(),
    /** Index of the newest event, -1 when there is none. */
    lastIndex: z.int(),
    continuationToken: z.string(),
    usage: Usage,
    costUsd: z.number().nullable(),
    pendingApprovals: z.array(z.string()),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: "Session" });

export const SessionAnswer = z.object({ ok: z.literal(true), ...Session.shape });
export const SessionsAnswer = z.object({
  ok: z.literal(true),
  sessions: z.array(Session),
  nextCursor: z.string().nullable(),
});

/** A session as its owner sees it. */
export function toSession({ id, agentId: _agentId, ...rest }: SessionView) {
  return { sessionId: id, ...rest } satisfies z.input<typeof Session>;
}
