import { notFound } from "../platform/errors";
import type { SqlTx } from "../platform/transaction";

/**
 * Takes the agent's next version number; numbers of failed builds are not used again.
 * @throws AppError `not_found`
 */
export async function allocateVersion(
  tx: Pick<SqlTx, "orgId" | "sql">,
  agentId: string,
): Promise<number> {
  const [row] = await tx.sql<{ version: number }>(
    `UPDATE agent SET next_version = next_version + 1 WHERE org_id = $1 AND id = $2
     RETURNING next_version - 1 AS version`,
    [tx.orgId, agentId],
  );
  if (!row) throw notFound();
  return row.version;
}
