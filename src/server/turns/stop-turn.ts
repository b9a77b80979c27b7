import { z } from "zod";
import { actorKey } from "../platform/context";
import { AppError } from "../platform/errors";
import { sqlMutation } from "../platform/verb";
import { cancelled } from "./cancelled";
import { sessionOutcomeError } from "./session-outcome";
import { wakeAfterCommit } from "./wake-after-commit";

const Input = z.object({
  agentId: z.string(),
  sessionId: z.string().max(64),
  turnId: z.string().max(64).optional(),
  /** Also ends the follow-ups that wait in line. */
  clearQueued: z.boolean().default(false),
});

interface Outcome {
  outcome: string;
  stopped: string[];
}

/**
 * Stops the current turn of a session at once, or only the named one: where that is over, nothing
 * is stopped. The log has `turn.failed` with `cancelled` when this resolves, and nothing of the turn
 * is appended after it. What waits for the turn goes on as turns of its own; with `clearQueued` it
 * ends as well, each message with a turn that says so.
 * @returns whether there was something to stop. @throws AppError `not_found`, `forbidden`.
 */
export const stopTurn = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "turn.stop",
  input: Input,
  audit: null,
  async run({ ctx, input, tx }): Promise<{ stopped: boolean }> {
    const rows = await tx.sql<Outcome>(
      "SELECT * FROM berth_stop_turn($1, $2, $3, $4, $5, $6, $7::jsonb)",
      [
        ctx.orgId,
        input.agentId,
        input.sessionId,
        actorKey(ctx.actor),
        input.turnId ?? null,
        input.clearQueued,
        cancelled("It was stopped."),
      ],
    );
    const [row] = rows;
    if (!row) throw new AppError("internal", "The turn could not be stopped.");
    if (row.outcome !== "ok") throw sessionOutcomeError(row.outcome);
    wakeAfterCommit(tx, [
      ...row.stopped.map((turnId) => ["cancel", turnId] as const),
      ["session", input.sessionId],
      ["turn", input.sessionId],
    ]);
    return { stopped: row.stopped.length > 0 };
  },
});
