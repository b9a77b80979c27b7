import { decodeText, decodeValue } from "../platform/json-safety";

/** An approval as people who may read sessions see it. */
export interface ApprovalView {
  callId: string;
  sessionId: string;
  turnId: string;
  agent: string;
  version: number;
  toolName: string;
  input: unknown;
  decision: "pending" | "approve" | "deny";
  by: string | null;
  reason: string | null;
  /** Whose message led to the call. */
  principal: string;
  /** Whether whoever reads may decide now. */
  mayDecide: boolean;
  requestedAt: string;
  expiresAt: string;
  decidedAt: string | null;
}

export interface ApprovalRow {
  call_id: string;
  session_id: string;
  turn_id: string;
  agent: string;
  version: number;
  tool_name: string;
  input: unknown;
  decision: ApprovalView["decision"];
  by: string | null;
  reason: string | null;
  principal: string;
  open_to_reader: boolean;
  requested_at: Date;
  expires_at: Date;
  decided_at: Date | null;
}

export const toApprovalView = (row: ApprovalRow, permitted: boolean): ApprovalView => ({
  callId: row.call_id,
  sessionId: row.session_id,
  turnId: row.turn_id,
  agent: row.agent,
  version: row.version,
  toolName: row.tool_name,
  input: decodeValue(row.input),
  decision: row.decision,
  by: row.by,
  reason: row.reason === null ? null : decodeText(row.reason),
  principal: row.principal,
  mayDecide: permitted && row.decision === "pending" && row.open_to_reader,
  requestedAt: row.requested_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  decidedAt: row.decided_at?.toISOString() ?? null,
});
