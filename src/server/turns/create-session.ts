import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { newId } from "../platform/id";
import { encodeJson, encodeText } from "../platform/json-safety";
import { sqlMutation } from "../platform/verb";
import { encodeEvents } from "../sessions";
import { notDeployed } from "./agent-not-deployed";
import { newContinuationToken } from "./continuation-token";
import {
  MessageText,
  Metadata,
  requireMessageSize,
  requireMetadataSize,
  Title,
} from "./session-limits";
import { wakeAfterCommit } from "./wake-after-commit";

const Input = z.object({
  agentId: z.string(),
  message: MessageText,
  title: Title.optional(),
  metadata: Metadata.default({}),
  channel: z.string().max(64).default("http"),
  mode: z.enum(["chat", "task"]).default("chat"),
});

export interface SentMessage {
  sessionId: string;
  continuationToken: string;
  messageId: string;
  turnId: string;
}

/**
 * Opens a session of an agent with its first message and queues the turn.
 * @throws AppError `not_found`, `agent_not_deployed`, `body_too_large`.
 */
export const createSession = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "session.create",
  input: Input,
  audit: null,
  async run({ ctx, input, tx }): Promise<SentMessage> {
    requireMessageSize(input.message);
    requireMetadataSize(input.metadata);
    const principal = actorKey(ctx.actor);
    const sent: SentMessage = {
      sessionId: newId("ses"),
      continuationToken: newContinuationToken(input.channel),
      messageId: newId("msg"),
      turnId: newId("trn"),
    };
    const { channel, mode, title, message } = input;
    const events = encodeEvents([
      { type: "session.started", data: { channel, mode, principal, ...(title ? { title } : {}) } },
      { type: "message.received", data: { messageId: sent.messageId, text: message, principal } },
    ]);
    const rows = await tx.sql<{ outcome: string }>(
      `SELECT berth_create_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         AS outcome`,
      [
        ctx.orgId,
        input.agentId,
        sent.sessionId,
        channel,
        mode,
        principal,
        title === undefined ? null : encodeText(title),
        encodeJson(input.metadata),
        sent.continuationToken,
        sent.messageId,
        sent.turnId,
        encodeText(message),
        ...events.data,
      ],
    );
    requireCreated(rows[0]?.outcome);
    wakeAfterCommit(tx, [
      ["turn", sent.turnId],
      ["session", sent.sessionId],
    ]);
    return sent;
  },
});

function requireCreated(outcome: string | undefined): void {
  if (outcome === "created") return;
  if (outcome === "not_deployed") throw notDeployed();
  if (outcome === "not_found") throw notFound();
  throw new AppError("internal", "The session could not be created.");
}
