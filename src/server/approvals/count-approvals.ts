import { z } from "zod";
import { sqlQuery } from "../platform/verb";

/** Counting stops here: more than this is "many" in a badge. */
const MOST = 100;

/** How many approvals of the org wait for somebody, 100 at most. */
export const countApprovals = sqlQuery({
  permission: "sessions:read",
  scope: "org",
  input: z.object({}),
  async run({ tx }): Promise<number> {
    const rows = await tx.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM (
         SELECT 1 FROM approval WHERE org_id = $1 AND (decision = 'pending') LIMIT $2) AS waiting`,
      [tx.orgId, MOST],
    );
    return rows[0]?.n ?? 0;
  },
});
