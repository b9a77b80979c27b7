import { Cell, Row, RowList } from "./row-list";
import { TimeAgo } from "./time-ago";

export interface ModelRow {
  name: string;
  kind: string;
  baseUrl: string | null;
  fingerprint: string | null;
  updatedAt: string;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_10rem_8rem_7rem]";

export const ModelList = ({ models }: { models: readonly ModelRow[] }) => (
  <RowList label="Model providers" columns={COLUMNS} heads={["Provider", "Kind", "Key", "Changed"]}>
    {models.map((model) => (
      <Row
        key={model.name}
        columns={COLUMNS}
        title={model.name}
        note={model.baseUrl ?? <span className="font-mono">{`${model.name}/<model>`}</span>}
      >
        <Cell>{model.kind}</Cell>
        <Cell className="font-mono text-xs">{model.fingerprint ?? "no key"}</Cell>
        <Cell>
          <TimeAgo at={model.updatedAt} />
        </Cell>
      </Row>
    ))}
  </RowList>
);
