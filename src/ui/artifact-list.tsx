import { formatBytes } from "./format";
import { Cell, Row, RowList } from "./row-list";
import { TimeAgo } from "./time-ago";

export interface ArtifactRow {
  id: string;
  kind: string;
  key: string;
  version: number;
  title: string;
  /** Bytes of the contents; null for an artifact of data alone. */
  size: number | null;
  createdAt: string;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_9rem_5rem_6rem_6rem]";

interface ArtifactListProps {
  base: string;
  artifacts: readonly ArtifactRow[];
}

export const ArtifactList = ({ base, artifacts }: ArtifactListProps) => (
  <RowList
    label="Artifacts"
    columns={COLUMNS}
    heads={["Artifact", "Kind", "Version", "Size", "Tagged"]}
  >
    {artifacts.map((artifact) => (
      <Row
        key={artifact.id}
        columns={COLUMNS}
        href={`${base}/artifacts/${artifact.id}`}
        title={artifact.title}
        note={<span className="font-mono">{artifact.key}</span>}
      >
        <Cell className="font-mono text-xs">{artifact.kind}</Cell>
        <Cell>v{artifact.version}</Cell>
        <Cell>{artifact.size === null ? "data" : formatBytes(artifact.size)}</Cell>
        <Cell>
          <TimeAgo at={artifact.createdAt} />
        </Cell>
      </Row>
    ))}
  </RowList>
);
