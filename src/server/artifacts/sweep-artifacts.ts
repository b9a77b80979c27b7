import { removeBlob } from "../blobs";
import { platform } from "../platform/platform";
import { type SqlTx, withSqlTransaction } from "../platform/transaction";
import { lockAgent } from "./agent-lock";
import { holderOf } from "./holder-of";

const BATCH = 500;

interface Swept {
  session_id: string | null;
  sha256: string | null;
}

/**
 * Removes artifacts whose time is over, with the bytes that nothing else of their holder has.
 * @returns how many artifacts
 */
export async function sweepArtifacts(): Promise<number> {
  const { rows } = await platform().pool.query<{ org_id: string; agent_id: string }>(
    "SELECT org_id, agent_id FROM berth_due_artifacts($1)",
    [BATCH],
  );
  let swept = 0;
  for (const { org_id: orgId, agent_id: agentId } of rows) {
    swept += await withSqlTransaction(orgId, (tx) => sweepAgent(tx, agentId));
  }
  return swept;
}

/** Sessions at work are left for later: they may be saving a file with the same bytes. */
async function sweepAgent(tx: SqlTx, agentId: string): Promise<number> {
  await lockAgent(tx, agentId);
  const rows = await tx.sql<Swept>(
    `DELETE FROM artifact WHERE org_id = $1 AND id IN (
       SELECT a.id FROM artifact a
       WHERE a.org_id = $1 AND a.agent_id = $2 AND a.expires_at <= clock_timestamp()
         AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.org_id = $1
           AND t.session_id = a.session_id AND t.status IN ('queued', 'running', 'parked'))
       ORDER BY a.expires_at LIMIT ${BATCH})
     RETURNING session_id, sha256`,
    [tx.orgId, agentId],
  );
  const blobs = new Map<string, { sha256: string; holder: string }>();
  for (const { session_id: sessionId, sha256 } of rows) {
    const holder = holderOf({ sessionId, agentId });
    if (sha256 !== null) blobs.set(`${holder}/${sha256}`, { sha256, holder });
  }
  for (const { sha256, holder } of blobs.values()) {
    if (!(await isNamed(tx, sha256, holder))) await removeBlob(tx, sha256, holder);
  }
  return rows.length;
}

/** Whether another artifact, or a saved file, of the holder has these bytes. */
async function isNamed({ orgId, sql }: SqlTx, sha256: string, holder: string): Promise<boolean> {
  const [row] = await sql<{ named: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM artifact
         WHERE org_id = $1 AND session_id = $2 AND sha256 = $3)
       OR EXISTS (SELECT 1 FROM artifact
         WHERE org_id = $1 AND agent_id = $2 AND session_id IS NULL AND sha256 = $3)
       OR EXISTS (SELECT 1 FROM workspace_file
         WHERE org_id = $1 AND session_id = $2 AND sha256 = $3)
       OR EXISTS (SELECT 1 FROM state_file
         WHERE org_id = $1 AND agent_id = $2 AND sha256 = $3) AS named`,
    [orgId, holder, sha256],
  );
  return row?.named ?? true;
}
