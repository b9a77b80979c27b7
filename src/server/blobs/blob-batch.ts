import type { BlobRef, ByteSource } from "./blob-store";
import { noteBlobs } from "./note-blobs";
import { store } from "./store";

/** Many blobs of one holder, noted together. */
export interface BlobBatch {
  /** Keeps bytes. They count as held once they are noted. @throws AppError `body_too_large` */
  put(source: ByteSource, maxBytes: number): Promise<BlobRef>;
  /** Notes everything put so far; to be called before a row names any of it. */
  note(): Promise<void>;
}

export function blobBatch(orgId: string, holder: string): BlobBatch {
  const kept = new Map<string, BlobRef>();
  return {
    async put(source, maxBytes) {
      const blob = await store().put(source, { maxBytes, holder });
      kept.set(blob.sha256, blob);
      return blob;
    },
    note: () => noteBlobs(orgId, [...kept.values()], { holder }),
  };
}
