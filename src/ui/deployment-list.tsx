import { formatDuration } from "./format";
import { Cell, Row, RowList } from "./row-list";
import { StatusBadge } from "./status-badge";
import { TimeAgo } from "./time-ago";

export interface DeploymentRow {
  version: number;
  status: string;
  message: string | null;
  createdBy: string;
  createdAt: string;
  durationMs: number | null;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_7rem_10rem_6rem_6rem]";

interface DeploymentListProps {
  base: string;
  deployments: readonly DeploymentRow[];
}

export const DeploymentList = ({ base, deployments }: DeploymentListProps) => (
  <RowList
    label="Deployments"
    columns={COLUMNS}
    heads={["Version", "Status", "By", "Took", "Created"]}
  >
    {deployments.map((deployment) => (
      <Row
        key={deployment.version}
        columns={COLUMNS}
        href={`${base}/deployments/${deployment.version}`}
        title={`Version ${deployment.version}`}
        note={deployment.message}
      >
        <StatusBadge status={deployment.status} />
        <Cell>{deployment.createdBy}</Cell>
        <Cell>{deployment.durationMs === null ? "" : formatDuration(deployment.durationMs)}</Cell>
        <Cell>
          <TimeAgo at={deployment.createdAt} />
        </Cell>
      </Row>
    ))}
  </RowList>
);
