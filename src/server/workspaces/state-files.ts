import { openKnownBlob } from "../blobs";
import { withSqlTransaction } from "../platform/transaction";
import type { FolderChanges } from "./keep-files";
import type { StateOwner } from "./state-lease";
import type { Tree } from "./tree";

interface Row {
  path: string;
  sha256: string | null;
  size: string;
  mode: number;
}

/** What is saved of an agent's state. */
export async function readState({ orgId, agentId }: StateOwner): Promise<Tree> {
  const rows = await withSqlTransaction(orgId, ({ sql }) =>
    sql<Row>(
      "SELECT path, sha256, size, mode FROM state_file WHERE org_id = $1 AND agent_id = $2",
      [orgId, agentId],
    ),
  );
  const files = rows.map(({ path, sha256, size, mode }) => {
    const open = () => openKnownBlob(sha256 ?? "", agentId);
    return [path, { sha256, size: Number(size), mode, open }] as const;
  });
  return new Map(files);
}

/**
 * Saves what changed of the state since this revision.
 * @returns the new revision; undefined when the worker may not write it any more
 */
export async function writeState(
  { orgId, agentId }: StateOwner,
  workerId: string,
  revision: number,
  { files, gone }: FolderChanges,
): Promise<number | undefined> {
  return await withSqlTransaction(orgId, async ({ sql }) => {
    const mine = await sql(
      `UPDATE agent SET state_revision = state_revision + 1
       WHERE org_id = $1 AND id = $2 AND state_worker = $3
         AND state_lease_until > clock_timestamp() AND state_revision = $4 RETURNING 1`,
      [orgId, agentId, workerId, revision],
    );
    if (mine.length === 0) return undefined;
    await sql("DELETE FROM state_file WHERE org_id = $1 AND agent_id = $2 AND path = ANY ($3)", [
      orgId,
      agentId,
      gone,
    ]);
    await sql(
      `INSERT INTO state_file (org_id, agent_id, path, sha256, size, mode)
       SELECT $1, $2, f.path, f.sha, f.size, f.mode
       FROM unnest($3::text[], $4::text[], $5::bigint[], $6::int[]) AS f(path, sha, size, mode)
       ON CONFLICT (org_id, agent_id, path)
         DO UPDATE SET sha256 = excluded.sha256, size = excluded.size, mode = excluded.mode`,
      [
        orgId,
        agentId,
        files.map(({ path }) => path),
        files.map(({ sha256 }) => sha256),
        files.map(({ size }) => size),
        files.map(({ mode }) => mode),
      ],
    );
    return revision + 1;
  });
}
