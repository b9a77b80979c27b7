import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import type { SqlTx } from "../platform/transaction";
import { sqlQuery } from "../platform/verb";
import { type ApprovalRow, type ApprovalView, toApprovalView } from "./approval-view";

const Page = z.object({
  status: z.enum(["pending", "resolved"]).optional(),
  sessionId: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The `nextCursor` of the page before. */
  cursor: z.string().max(80).optional(),
});
type Page = z.output<typeof Page>;

export interface ApprovalPage {
  approvals: ApprovalView[];
  nextCursor: string | null;
}

const CURSOR = /^(pending|resolved)\.(call_\w{1,60})$/;

function placeOf(cursor: string): [pending: boolean, callId: string] {
  const [, group, callId] = CURSOR.exec(cursor) ?? [];
  if (callId !== undefined) return [group === "pending", callId];
  throw new AppError("invalid_request", "The cursor is none that a page of this list ended with.");
}

const cursorOf = ({ decision, callId }: ApprovalView): string =>
  `${decision === "pending" ? "pending" : "resolved"}.${callId}`;

const SELECT = `SELECT a.call_id, a.session_id, a.turn_id, g.slug AS agent, a.version, a.tool_name,
    a.input, a.decision, a."by", a.reason, a.requested_at, a.expires_at, a.decided_at,
    coalesce(nullif(t.principal, ''), s.principal) AS principal,
    ($3 NOT IN (s.principal, t.principal)
      OR coalesce((d.manifest -> 'approvals' ->> 'self')::boolean, false)) AS open_to_reader
  FROM approval a
  JOIN agent g ON g.org_id = a.org_id AND g.id = a.agent_id
  JOIN session s ON s.org_id = a.org_id AND s.id = a.session_id
  JOIN turn t ON t.org_id = a.org_id AND t.id = a.turn_id
  LEFT JOIN deployment d ON d.org_id = a.org_id AND d.agent_id = a.agent_id AND d.version = a.version
  WHERE a.org_id = $1 AND ($2::text IS NULL OR a.agent_id = $2)
    AND ($4::boolean IS NULL OR (a.decision = 'pending') = $4)
    AND ($5::boolean IS NULL OR (a.decision = 'pending', a.call_id) < ($5, $6))
    AND ($7::text IS NULL OR a.session_id = $7)
  ORDER BY (a.decision = 'pending') DESC, a.call_id DESC LIMIT $8`;

/** Ids sort by time: what waits comes first, then what was decided, the newest first in each. */
async function page(
  ctx: Ctx,
  tx: SqlTx,
  { status, sessionId, limit, cursor }: Page,
  agentId: string | null,
): Promise<ApprovalPage> {
  const [pending, callId] = cursor === undefined ? [null, null] : placeOf(cursor);
  const rows = await tx.sql<ApprovalRow>(SELECT, [
    tx.orgId,
    agentId,
    actorKey(ctx.actor),
    status === undefined ? null : status === "pending",
    pending,
    callId,
    sessionId ?? null,
    limit + 1,
  ]);
  const permitted = ctx.permissions.has("approvals:decide");
  const approvals = rows.slice(0, limit).map((row) => toApprovalView(row, permitted));
  const last = approvals.at(-1);
  return { approvals, nextCursor: rows.length > limit && last ? cursorOf(last) : null };
}

/** Approvals of an agent, those that wait for somebody first, the newest first in each group. */
export const listApprovals = sqlQuery({
  permission: "sessions:read",
  scope: "agent",
  input: Page.extend({ agentId: z.string() }),
  run: ({ ctx, input, tx }) => page(ctx, tx, input, input.agentId),
});

/** `listApprovals` for all agents of the org. */
export const listOrgApprovals = sqlQuery({
  permission: "sessions:read",
  scope: "org",
  input: Page,
  run: ({ ctx, input, tx }) => page(ctx, tx, input, null),
});
