import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { encodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { sqlMutation } from "../platform/verb";
import { encodeEvents } from "../sessions";
import { cancelled } from "./cancelled";
import { newContinuationKey } from "./continuation-token";
import { MessageText, requireMessageSize } from "./session-limits";
import { sessionOutcomeError } from "./session-outcome";
import { wakeAfterCommit } from "./wake-after-commit";
import {
  checkWorkspaceFiles,
  filesColumn,
  keepWorkspaceFiles,
  WorkspaceFiles,
} from "./workspace-files";

const Input = z.object({
  agentId: z.string(),
  sessionId: z.string().max(64),
  message: MessageText,
  continuationToken: z.string().max(512).optional(),
  admission: z.enum(["preempt", "coalesce"]).default("preempt"),
  /** The channel that let the sender into its session; without it the session must be the caller's. */
  channel: z.string().max(64).optional(),
  workspaceFiles: WorkspaceFiles.default([]),
});

export interface SentMessage {
  sessionId: string;
  /** Fresh for each message, except where the channel's own key names the session. */
  continuationToken: string;
  messageId: string;
  /** Null while the message waits for the turn that runs; `message.delivered` says which took it. */
  turnId: string | null;
}

interface Outcome {
  outcome: string;
  turn_id: string | null;
  cancelled_turn: string | null;
  token: string;
}

/**
 * Sends a follow-up, in one statement; of several senders with one token exactly one wins. An idle
 * session starts a turn with it. In a busy one:
 * - `preempt` cancels the turn that runs or is parked. What had waited for that turn is lined up as
 *   turns of its own before the new message, so nothing accepted is lost and everybody's messages
 *   keep their order. Turns that have not begun stay in line.
 * - `coalesce` joins the sender's turn that has not begun yet. Without one, the message waits for
 *   the turn at work: it is delivered to it between two steps if both are of one principal, and
 *   else becomes a turn when that one ends, together with what its own principal sent.
 * A direct call that holds the session is never interrupted.
 * @throws AppError `not_found`, `forbidden`, `stale_continuation_token`, `session_not_followable`,
 * `agent_not_deployed`, `body_too_large`, `invalid_request`.
 */
export const sendMessage = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "session.send",
  input: Input,
  audit: null,
  async run({ ctx, input, tx }): Promise<SentMessage> {
    requireMessageSize(input.message);
    const files = checkWorkspaceFiles(input.workspaceFiles);
    const { sessionId, message: text, channel } = input;
    const principal = actorKey(ctx.actor);
    const messageId = newId("msg");
    const nextKey = channel === undefined ? newContinuationKey() : null;
    const { types, data } = encodeEvents([
      { type: "message.received", data: { messageId, text, principal } },
    ]);
    const [row] = await tx.sql<Outcome>(SEND, [
      ...[ctx.orgId, input.agentId, sessionId, principal, channel ?? null, input.admission],
      ...[input.continuationToken ?? null, nextKey, messageId, newId("trn")],
      ...[encodeText(text), filesColumn(files), types, data],
      cancelled("A newer message took its place."),
      platform().env.BERTH_ORG_SHARE,
    ]);
    if (!row) throw new AppError("internal", "The message could not be sent.");
    if (row.outcome !== "sent") throw sessionOutcomeError(row.outcome);
    await keepWorkspaceFiles(tx, sessionId, files);
    wakeAfterCommit(tx, [
      ...(row.cancelled_turn ? ([["cancel", row.cancelled_turn]] as const) : []),
      ...(row.turn_id ? ([["turn", row.turn_id]] as const) : []),
      ["session", sessionId],
    ]);
    return { sessionId, continuationToken: row.token, messageId, turnId: row.turn_id };
  },
});

const SEND = `SELECT * FROM berth_send_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
  $15::jsonb, $16)`;
