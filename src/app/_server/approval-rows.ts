import type { ApprovalView } from "../../server/approvals";
import type { Ctx } from "../../server/platform/context";
import type { DecidedApproval } from "../../ui/approval-history";
import type { PendingApproval } from "../../ui/approval-list";
import { approvalBlocked } from "./approval-blocked";
import { nameOfPrincipal, namesOfMembers } from "./principal-names";

export interface ApprovalRows {
  pending: PendingApproval[];
  decided: DecidedApproval[];
}

/** Approvals as their pages show them. */
export async function approvalRows(
  ctx: Ctx,
  approvals: readonly ApprovalView[],
): Promise<ApprovalRows> {
  const names = await namesOfMembers(ctx);
  const rows: ApprovalRows = { pending: [], decided: [] };
  for (const approval of approvals) {
    const { callId, sessionId, agent, toolName, decision, reason, by, decidedAt } = approval;
    const about = { callId, sessionId, agent, toolName };
    if (decision === "pending") {
      const { input, requestedAt, expiresAt, mayDecide } = approval;
      const principal = nameOfPrincipal(names, approval.principal);
      const blocked = mayDecide ? undefined : approvalBlocked(ctx, true);
      rows.pending.push({ ...about, input, principal, requestedAt, expiresAt, blocked });
    } else {
      const name = by === null || by === "system" ? "The system" : nameOfPrincipal(names, by);
      rows.decided.push({ ...about, decision, reason, by: name, decidedAt: decidedAt ?? "" });
    }
  }
  return rows;
}
