import { type SqlTx, withSqlTransaction } from "../platform/transaction";
import type { BlobRef } from "./blob-store";

export type NotingTx = Pick<SqlTx, "orgId" | "sql">;

/** Notes that an org, or a holder in it, has these blobs: in the transaction given, or at once. */
export async function noteBlobs(
  orgId: string,
  blobs: readonly BlobRef[],
  { holder = "", tx }: { holder?: string | undefined; tx?: NotingTx | undefined },
): Promise<void> {
  if (blobs.length === 0) return;
  const note = ({ sql }: Pick<SqlTx, "sql">) =>
    sql(
      `INSERT INTO blob (org_id, holder, sha256, size)
       SELECT $1, $2, b.sha, b.size FROM unnest($3::text[], $4::bigint[]) AS b(sha, size)
       ON CONFLICT DO NOTHING`,
      [orgId, holder, blobs.map(({ sha256 }) => sha256), blobs.map(({ size }) => size)],
    );
  await (tx ? note(tx) : withSqlTransaction(orgId, note));
}
