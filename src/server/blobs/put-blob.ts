import { type SqlTx, withSqlTransaction } from "../platform/transaction";
import type { BlobRef, ByteSource, PutOptions } from "./blob-store";
import { store } from "./store";

/**
 * Keeps bytes for an org and notes that the org holds them.
 * @param tx a transaction of the same org to note it in; absent, it is noted at once
 * @throws AppError `body_too_large`, `invalid_request` when the SHA-256 differs
 */
export async function putBlob(
  orgId: string,
  source: ByteSource | Uint8Array,
  options: PutOptions & { tx?: Pick<SqlTx, "orgId" | "sql"> },
): Promise<BlobRef> {
  const { tx, ...limits } = options;
  const blob = await store().put(source instanceof Uint8Array ? [source] : source, limits);
  const note = ({ sql }: Pick<SqlTx, "sql">) =>
    sql(
      `INSERT INTO blob (org_id, sha256, size) VALUES ($1, $2, $3::bigint)
       ON CONFLICT DO NOTHING`,
      [orgId, blob.sha256, blob.size],
    );
  await (tx ? note(tx) : withSqlTransaction(orgId, note));
  return blob;
}
