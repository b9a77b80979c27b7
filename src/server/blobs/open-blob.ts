import type { Readable } from "node:stream";
import { notFound } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import type { ByteRange } from "./blob-store";
import { store } from "./store";

/**
 * A blob that the org holds, as a stream to be read or destroyed.
 * @param options.holder whose blob it is, where it is not the org's own
 * @param options.range a part of it; `size` is that of the whole
 * @throws AppError `not_found` for one that is not held so, whoever else does
 */
export async function openBlob(
  orgId: string,
  sha256: string,
  { holder = "", range }: { holder?: string; range?: ByteRange | undefined } = {},
): Promise<{ stream: Readable; size: number }> {
  const [row] = await withSqlTransaction(orgId, (tx) =>
    tx.sql<{ size: string }>(
      "SELECT size::text FROM blob WHERE org_id = $1 AND holder = $2 AND sha256 = $3",
      [orgId, holder, sha256],
    ),
  );
  if (!row) throw notFound();
  return { stream: await store().open(sha256, holder, range), size: Number(row.size) };
}
