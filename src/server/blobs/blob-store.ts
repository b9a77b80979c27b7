import type { Readable } from "node:stream";

export interface PutOptions {
  /** Larger than this many bytes is refused while it is read. */
  maxBytes: number;
  /** The SHA-256 (hex) the bytes must have. */
  sha256?: string | undefined;
  /** What the bytes are erased with, such as a session's id; absent, the org keeps them. */
  holder?: string | undefined;
}

/** Bytes in pieces, in memory or as they arrive. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Bytes of a blob from `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobRef {
  /** SHA-256 of the bytes in lower-case hex: the blob's name. */
  sha256: string;
  size: number;
}

/**
 * The port to where bytes are kept, by their content. It knows no orgs. Each holder has blobs of
 * its own: the same bytes of two holders are kept twice, so that one can be erased.
 */
export interface BlobStore {
  /**
   * Keeps a stream's bytes; a blob that is there already is kept once. Nothing is visible until
   * all of it is written. @throws AppError `body_too_large`, `invalid_request` for another SHA-256
   */
  put(source: ByteSource, options: PutOptions): Promise<BlobRef>;
  /** @throws BlobMissing when there is no such blob */
  open(sha256: string, holder?: string, range?: ByteRange): Promise<Readable>;
  has(sha256: string, holder?: string): Promise<boolean>;
  /** Removes a blob; one that is not there is no error. */
  remove(sha256: string, holder?: string): Promise<void>;
  /** Removes all that a holder has; one without blobs is no error. */
  removeHolder(holder: string): Promise<void>;
}

/** A blob that a row names is not in the store. */
export class BlobMissing extends Error {
  constructor(sha256: string, options?: ErrorOptions) {
    super(`blob ${sha256} is not in the store`, options);
  }
}
