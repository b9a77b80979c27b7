import { RETENTION_DAYS } from "../agents";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import { withSqlTransaction } from "../platform/transaction";
import { eraseSession } from "./delete-session";

const BATCH = 200;

interface Expired {
  org_id: string;
  agent_id: string;
  session_id: string;
}

/**
 * Erases idle sessions that are older than their agent keeps them. Any number of workers may run
 * it at once. @returns how many sessions it found; a full batch means that there may be more.
 */
export async function expireSessions(): Promise<number> {
  const { rows } = await platform().pool.query<Expired>({
    name: "expired_sessions",
    text: "SELECT org_id, agent_id, session_id FROM berth_expired_sessions($1, $2)",
    values: [RETENTION_DAYS, BATCH],
  });
  for (const { org_id: orgId, agent_id: agentId, session_id: sessionId } of rows) {
    await withSqlTransaction(orgId, (tx) =>
      eraseSession(tx, { agentId, sessionId, principal: null }),
    ).catch((error: unknown) => {
      // Another worker was faster.
      if (!(error instanceof AppError && error.code === "not_found")) throw error;
    });
  }
  return rows.length;
}
