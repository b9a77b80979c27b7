import type { BlobRef, ByteSource, PutOptions } from "./blob-store";
import { type NotingTx, noteBlobs } from "./note-blobs";
import { store } from "./store";

/**
 * Keeps bytes for an org, or for a holder in it, and notes that they are held.
 * @param options.holder what the bytes are erased with: a session's id; absent, the org itself
 * @param options.tx a transaction of the same org to note it in; absent, it is noted at once
 * @throws AppError `body_too_large`, `invalid_request` when the SHA-256 differs
 */
export async function putBlob(
  orgId: string,
  source: ByteSource | Uint8Array,
  options: PutOptions & { tx?: NotingTx },
): Promise<BlobRef> {
  const { tx, ...limits } = options;
  const blob = await store().put(source instanceof Uint8Array ? [source] : source, limits);
  await noteBlobs(orgId, [blob], { holder: limits.holder, tx });
  return blob;
}
