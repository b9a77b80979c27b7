import type { Readable } from "node:stream";
import { notFound } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import { store } from "./store";

/**
 * A blob that the org holds, as a stream to be read or destroyed.
 * @throws AppError `not_found` for one the org does not hold, whoever else does
 */
export async function openBlob(
  orgId: string,
  sha256: string,
): Promise<{ stream: Readable; size: number }> {
  const [row] = await withSqlTransaction(orgId, (tx) =>
    tx.sql<{ size: string }>("SELECT size::text FROM blob WHERE org_id = $1 AND sha256 = $2", [
      orgId,
      sha256,
    ]),
  );
  if (!row) throw notFound();
  return { stream: await store().open(sha256), size: Number(row.size) };
}
