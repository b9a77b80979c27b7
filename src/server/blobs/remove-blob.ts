import type { NotingTx } from "./note-blobs";
import { store } from "./store";

/**
 * Removes one blob of a holder, bytes and row. That nothing names it any more is the caller's to
 * know, and that nobody puts it again before the transaction commits.
 */
export async function removeBlob(
  { orgId, sql }: NotingTx,
  sha256: string,
  holder: string,
): Promise<void> {
  await store().remove(sha256, holder);
  await sql("DELETE FROM blob WHERE org_id = $1 AND holder = $2 AND sha256 = $3", [
    orgId,
    holder,
    sha256,
  ]);
}
