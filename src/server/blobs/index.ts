/**
 * Owns bytes by their content: a port with an implementation on files, which org holds what, and
 * what the bytes are erased with: a holder, such as a session, has blobs of its own.
 * The sum is checked while the bytes arrive, so that a broken upload leaves nothing behind.
 * Never interprets bytes, and never lets an org see a blob it did not put there itself.
 */
export { type BlobBatch, blobBatch } from "./blob-batch";
export { BlobMissing, type BlobStore, type ByteRange } from "./blob-store";
export { createFileBlobStore } from "./file-blob-store";
export { openBlob } from "./open-blob";
export { openKnownBlob } from "./open-known-blob";
export { putBlob } from "./put-blob";
export { removeBlob } from "./remove-blob";
export { removeHolder } from "./remove-holder";
export { sweepIncoming } from "./sweep-incoming";
