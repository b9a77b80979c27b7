import { formatCost, formatCount } from "./format";
import { Cell, Row, RowList } from "./row-list";
import { StatusBadge } from "./status-badge";
import { TimeAgo } from "./time-ago";

export interface SessionRow {
  id: string;
  /** Its title, or the first message. */
  title: string | null;
  status: string;
  channel: string;
  /** Who it belongs to, as people know them. */
  principal: string;
  tokens: number;
  costUsd: number | null;
  updatedAt: string;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_8rem_9rem_8rem_6rem]";

export const SessionList = ({
  base,
  sessions,
}: {
  base: string;
  sessions: readonly SessionRow[];
}) => (
  <RowList
    label="Sessions"
    columns={COLUMNS}
    heads={["Session", "Status", "Whose", "Tokens · cost", "Active"]}
  >
    {sessions.map((session) => (
      <Row
        key={session.id}
        columns={COLUMNS}
        href={`${base}/sessions/${session.id}`}
        title={session.title ?? "Untitled session"}
        note={
          <span className="font-mono">
            {session.id} · {session.channel}
          </span>
        }
      >
        <StatusBadge status={session.status} />
        <Cell>{session.principal}</Cell>
        <Cell>
          {formatCount(session.tokens)}
          {session.costUsd === null ? null : ` · ${formatCost(session.costUsd)}`}
        </Cell>
        <Cell>
          <TimeAgo at={session.updatedAt} />
        </Cell>
      </Row>
    ))}
  </RowList>
);
