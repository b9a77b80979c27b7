"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "./button";
import { Modal } from "./modal";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";
import { Cell, Row, RowList } from "./row-list";
import { TimeAgo } from "./time-ago";
import { useAction } from "./use-action";

export interface KeyRow {
  id: string;
  name: string;
  permissions: readonly string[];
  /** The agent it is limited to. */
  agent: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

interface KeyListProps {
  keys: readonly KeyRow[];
  onRevoke(keyId: string): Promise<Outcome<null>>;
}

const COLUMNS = "md:grid-cols-[minmax(0,1fr)_8rem_7rem_7rem_5rem]";

export function KeyList({ keys, onRevoke }: KeyListProps) {
  const [ending, setEnding] = useState<KeyRow>();
  return (
    <>
      <RowList
        label="API keys"
        columns={COLUMNS}
        heads={["Key", "Access", "Last used", "Expires", ""]}
      >
        {keys.map((key) => (
          <Row
            key={key.id}
            columns={COLUMNS}
            title={key.name}
            note={<span className="font-mono">{key.id}</span>}
          >
            <Cell>
              <span title={key.permissions.join("\n")}>
                {key.agent ?? "All agents"} · {key.permissions.length}
                <span className="sr-only"> permissions</span>
              </span>
            </Cell>
            <Cell>{key.lastUsedAt ? <TimeAgo at={key.lastUsedAt} /> : "Never used"}</Cell>
            <Cell>{key.expiresAt ? <TimeAgo at={key.expiresAt} /> : "Never"}</Cell>
            <Button look="danger" size="sm" onClick={() => setEnding(key)}>
              Revoke
              <span className="sr-only"> {key.name}</span>
            </Button>
          </Row>
        ))}
      </RowList>
      <RevokeDialog ending={ending} onRevoke={onRevoke} onClose={() => setEnding(undefined)} />
    </>
  );
}

interface RevokeDialogProps extends Pick<KeyListProps, "onRevoke"> {
  ending: KeyRow | undefined;
  onClose(): void;
}

function RevokeDialog({ ending, onRevoke, onClose }: RevokeDialogProps) {
  const router = useRouter();
  const { run, busy, error } = useAction(onRevoke, () => {
    onClose();
    router.refresh();
  });
  return (
    <Modal
      open={ending !== undefined}
      onOpenChange={onClose}
      title={`Revoke ${ending?.name ?? "key"}?`}
      note="Whatever uses it is refused from now on. This cannot be undone."
    >
      <div className="grid gap-4">
        {error ? <Notice tone="bad" title={error} /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={busy} onClick={() => ending && run(ending.id)}>
            {busy ? "Revoking…" : "Revoke key"}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
