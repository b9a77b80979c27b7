import { decodeText } from "../platform/json-safety";
import { withSqlTransaction } from "../platform/transaction";

/** What became of an approval so far. */
export interface Decision {
  decision: "pending" | "approve" | "deny";
  by: string | null;
  reason: string | null;
  hash: string;
}

/** The approval of a call, for whoever is about to run it; undefined where nobody was asked. */
export const findDecision = (orgId: string, callId: string): Promise<Decision | undefined> =>
  withSqlTransaction(orgId, async ({ sql }) => {
    const [row] = await sql<Decision>(
      `SELECT decision, "by", reason, hash FROM approval WHERE org_id = $1 AND call_id = $2`,
      [orgId, callId],
    );
    return row && { ...row, reason: row.reason === null ? null : decodeText(row.reason) };
  });
