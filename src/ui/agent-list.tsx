import { Cell, Row, RowList } from "./row-list";
import { StatusBadge } from "./status-badge";
import { TimeAgo } from "./time-ago";

export interface AgentRow {
  slug: string;
  name: string;
  description?: string | undefined;
  kind: string;
  activeVersion: number | null;
  /** State of the newest deployment. */
  status: string;
  sessions24h?: number | undefined;
  lastActivityAt?: string | undefined;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_7rem_6rem_7rem_7rem]";

export const AgentList = ({ org, agents }: { org: string; agents: readonly AgentRow[] }) => (
  <RowList
    label="Agents"
    columns={COLUMNS}
    heads={["Agent", "Status", "Version", "Sessions 24 h", "Last activity"]}
  >
    {agents.map((agent) => (
      <Row
        key={agent.slug}
        columns={COLUMNS}
        href={`/${org}/${agent.slug}`}
        title={
          <>
            {agent.name}
            {agent.kind === "dev" ? (
              <span className="ml-2 font-normal text-faint text-xs">dev</span>
            ) : null}
          </>
        }
        note={agent.description ?? <span className="font-mono">{agent.slug}</span>}
      >
        <StatusBadge status={agent.status} />
        <Cell>{agent.activeVersion === null ? "none" : `v${agent.activeVersion}`}</Cell>
        <Cell className="hidden md:block">{agent.sessions24h ?? 0}</Cell>
        <Cell>{agent.lastActivityAt ? <TimeAgo at={agent.lastActivityAt} /> : "never"}</Cell>
      </Row>
    ))}
  </RowList>
);
