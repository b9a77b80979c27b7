import type { ApprovalView } from "../../server/approvals";
import { actorKey, type Ctx } from "../../server/platform/context";
import type { DecidedApproval } from "../../ui/approval-history";
import type { PendingApproval } from "../../ui/approval-list";
import { approvalBlocked } from "./approval-blocked";
import { nameOfPrincipal, namesOfMembers } from "./principal-names";

type Names = ReadonlyMap<string, string>;

const about = ({ callId, sessionId, agent, toolName }: ApprovalView) => ({
  ...{ callId, sessionId, agent, toolName },
});

function pendingRow(ctx: Ctx, names: Names, approval: ApprovalView): PendingApproval {
  const { input, requestedAt, expiresAt, mayDecide } = approval;
  const mine = approval.principal === actorKey(ctx.actor);
  const principal = mine ? "you" : nameOfPrincipal(names, approval.principal);
  const blocked = mayDecide ? undefined : approvalBlocked(ctx, true);
  return { ...about(approval), input, principal, requestedAt, expiresAt, blocked };
}

function decidedRow(names: Names, approval: ApprovalView): DecidedApproval {
  const { reason, by, decidedAt } = approval;
  return {
    ...{ ...about(approval), reason, decidedAt: decidedAt ?? "" },
    decision: approval.decision === "approve" ? "approve" : "deny",
    by: by === null || by === "system" ? "The system" : nameOfPrincipal(names, by),
  };
}

/** Approvals as their pages show them. */
export async function approvalRows(
  ctx: Ctx,
  approvals: readonly ApprovalView[],
): Promise<{ pending: PendingApproval[]; decided: DecidedApproval[] }> {
  const names = await namesOfMembers(ctx);
  const isPending = ({ decision }: ApprovalView) => decision === "pending";
  return {
    pending: approvals.filter(isPending).map((approval) => pendingRow(ctx, names, approval)),
    decided: approvals
      .filter((approval) => !isPending(approval))
      .map((approval) => decidedRow(names, approval)),
  };
}
