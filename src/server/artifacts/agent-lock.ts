import type { SqlTx } from "../platform/transaction";

/**
 * Makes tags and sweeps of one agent take turns until the transaction ends: artifacts become
 * visible in the order of their times, and no bytes are removed while somebody keeps the same.
 */
export async function lockAgent({ orgId, sql }: SqlTx, agentId: string): Promise<void> {
  await sql("SELECT pg_advisory_xact_lock(hashtextextended('artifact/' || $1 || '/' || $2, 0))", [
    orgId,
    agentId,
  ]);
}
