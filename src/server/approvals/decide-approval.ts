import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { encodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";
import { sqlMutation } from "../platform/verb";

/** Most characters of the reason that goes with a decision. */
const MAX_REASON = 2_000;

const Choice = z.object({
  callId: z.string().max(64),
  decision: z.enum(["approve", "deny"]),
  reason: z.string().trim().max(MAX_REASON).optional(),
});
type Choice = z.output<typeof Choice>;

interface Outcome {
  outcome: "decided" | "not_found" | "self" | "channel" | "resolved";
  session_id: string;
  turn_id: string;
  agent_id: string;
  tool_name: string;
}

export interface Decided {
  callId: string;
  decision: "approve" | "deny";
  sessionId: string;
  agentId: string;
  toolName: string;
}

function refusal(outcome: Outcome["outcome"] | undefined): AppError {
  switch (outcome) {
    case "self":
      return new AppError(
        "forbidden",
        "You asked for this call, so somebody else decides about it. The agent can allow it with approvals.self.",
      );
    case "channel":
      return new AppError(
        "forbidden",
        "People of channels do not decide here. The agent can allow it with approvals.channel.",
      );
    case "resolved":
      return new AppError(
        "approval_already_resolved",
        "This call was decided before: the first decision counts.",
      );
    default:
      return notFound();
  }
}

async function decide(
  ctx: Ctx,
  tx: SqlTx,
  {
    callId,
    decision,
    reason,
    agentId,
    sessionId,
  }: Choice & { agentId?: string; sessionId?: string },
): Promise<Decided> {
  const [row] = await tx.sql<Outcome>(
    "SELECT * FROM berth_decide_approval($1, $2, $3, $4, $5, $6, $7, $8)",
    [
      ctx.orgId,
      agentId ?? null,
      sessionId ?? null,
      callId,
      decision,
      actorKey(ctx.actor),
      ctx.actor.kind === "channel",
      reason ? encodeText(reason) : null,
    ],
  );
  if (row?.outcome !== "decided") throw refusal(row?.outcome);
  tx.afterCommit(() => {
    const { pubsub } = platform();
    pubsub.publish("session", row.session_id);
    pubsub.publish("turn", row.turn_id);
    return Promise.resolve();
  });
  return {
    callId,
    decision,
    sessionId: row.session_id,
    agentId: row.agent_id,
    toolName: row.tool_name,
  };
}

const audit = ({ callId, ...after }: Decided, { reason }: { reason?: string | undefined }) => ({
  entityId: callId,
  after: { ...after, ...(reason ? { reason } : {}) },
});

/**
 * Approves or denies a call of an agent, for good: the first decision counts. A turn that waits for
 * it goes on. Takes the permission, not the session: only whoever asked for the call may not decide.
 * @throws AppError `not_found`, `forbidden`, `approval_already_resolved`.
 */
export const decideApproval = sqlMutation({
  permission: "approvals:decide",
  scope: "agent",
  action: "approval.decide",
  input: Choice.extend({ agentId: z.string(), sessionId: z.string().max(64).optional() }),
  audit,
  run: ({ ctx, input, tx }) => decide(ctx, tx, input as Parameters<typeof decide>[2]),
});

/** `decideApproval` for a call of any agent of the org. */
export const decideOrgApproval = sqlMutation({
  permission: "approvals:decide",
  scope: "org",
  action: "approval.decide",
  input: Choice,
  audit,
  run: ({ ctx, input, tx }) => decide(ctx, tx, input),
});
