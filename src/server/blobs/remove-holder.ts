import { withSqlTransaction } from "../platform/transaction";
import { store } from "./store";

/**
 * Erases every blob of a holder, bytes and rows. The bytes go first: what fails halfway is still
 * named by its rows, and done again. One without blobs is no error.
 */
export async function removeHolder(orgId: string, holder: string): Promise<void> {
  await store().removeHolder(holder);
  await withSqlTransaction(orgId, ({ sql }) =>
    sql("DELETE FROM blob WHERE org_id = $1 AND holder = $2", [orgId, holder]),
  );
}
