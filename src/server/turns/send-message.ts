import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { encodeText } from "../platform/json-safety";
import { sqlMutation } from "../platform/verb";
import { encodeEvents } from "../sessions";
import { cancelled } from "./cancelled";
import { newContinuationToken } from "./continuation-token";
import type { SentMessage } from "./create-session";
import { MessageText, requireMessageSize } from "./session-limits";
import { sessionOutcomeError } from "./session-outcome";
import { wakeAfterCommit } from "./wake-after-commit";

const Input = z.object({
  agentId: z.string(),
  sessionId: z.string().max(64),
  message: MessageText,
  continuationToken: z.string().max(512).optional(),
});

interface Outcome {
  outcome: string;
  cancelled_turn: string | null;
}

/**
 * Sends a follow-up to an HTTP session. In one statement it rotates the token, cancels a running
 * turn and queues the new one; of several senders with one token exactly one wins.
 * @throws AppError `not_found`, `forbidden`, `stale_continuation_token`, `session_not_followable`,
 * `agent_not_deployed`, `body_too_large`.
 */
export const sendMessage = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "session.send",
  input: Input,
  audit: null,
  async run({ ctx, input, tx }): Promise<SentMessage> {
    requireMessageSize(input.message);
    const principal = actorKey(ctx.actor);
    const sent: SentMessage = {
      sessionId: input.sessionId,
      continuationToken: newContinuationToken("http"),
      messageId: newId("msg"),
      turnId: newId("trn"),
    };
    const text = input.message;
    const received = encodeEvents([
      { type: "message.received", data: { messageId: sent.messageId, text, principal } },
    ]);
    const rows = await tx.sql<Outcome>(
      "SELECT * FROM berth_send_message($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb)",
      [
        ctx.orgId,
        input.agentId,
        input.sessionId,
        principal,
        input.continuationToken ?? null,
        sent.continuationToken,
        sent.messageId,
        sent.turnId,
        encodeText(text),
        ...received.data,
        cancelled("A newer message took its place."),
      ],
    );
    const [row] = rows;
    if (!row) throw new AppError("internal", "The message could not be sent.");
    if (row.outcome !== "sent") throw sessionOutcomeError(row.outcome);
    wakeAfterCommit(tx, [
      ...(row.cancelled_turn ? ([["cancel", row.cancelled_turn]] as const) : []),
      ["turn", sent.turnId],
      ["session", sent.sessionId],
    ]);
    return sent;
  },
});
