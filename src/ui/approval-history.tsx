import { Cell, Row, RowList } from "./row-list";
import { StatusBadge } from "./status-badge";
import { TimeAgo } from "./time-ago";

export interface DecidedApproval {
  callId: string;
  sessionId: string;
  /** The agent's slug. */
  agent: string;
  toolName: string;
  decision: "approve" | "deny";
  /** Who decided, as people know them. */
  by: string;
  reason: string | null;
  decidedAt: string;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_7rem_10rem_6rem]";

/** What was decided; each row opens the session that it was decided in. */
export const ApprovalHistory = ({
  org,
  showAgent,
  approvals,
}: {
  org: string;
  showAgent?: boolean;
  approvals: readonly DecidedApproval[];
}) => (
  <RowList label="Decided" columns={COLUMNS} heads={["Call", "Decision", "By", "When"]}>
    {approvals.map((approval) => (
      <Row
        key={approval.callId}
        columns={COLUMNS}
        href={`/${org}/${approval.agent}/sessions/${approval.sessionId}`}
        title={
          <span className="font-mono">
            {showAgent ? `${approval.agent} · ` : ""}
            {approval.toolName}
          </span>
        }
        note={approval.reason ?? "No reason given"}
      >
        <StatusBadge status={approval.decision === "approve" ? "approved" : "denied"} />
        <Cell>{approval.by}</Cell>
        <Cell>
          <TimeAgo at={approval.decidedAt} />
        </Cell>
      </Row>
    ))}
  </RowList>
);
