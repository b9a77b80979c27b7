import { removeHolder } from "../blobs";
import { platform } from "../platform/platform";
import { withSqlTransaction } from "../platform/transaction";

/** By then nobody who had not heard of the erasure writes any more. */
const AGE = "2 minutes";
const BATCH = 200;

/**
 * Erases once more the bytes of sessions that were erased a while ago: what a crash left, and what
 * somebody wrote who did not know yet. @returns how many it finished
 */
export async function finishErasures(age = AGE): Promise<number> {
  const { rows } = await platform().pool.query<{ org_id: string; holder: string }>({
    name: "due_erasures",
    text: "SELECT org_id, holder FROM berth_due_erasures($1, $2)",
    values: [age, BATCH],
  });
  for (const { org_id: orgId, holder } of rows) {
    await removeHolder(orgId, holder);
    await withSqlTransaction(orgId, ({ sql }) =>
      sql("DELETE FROM erasure WHERE org_id = $1 AND holder = $2", [orgId, holder]),
    );
  }
  return rows.length;
}
