import { createHash } from "node:crypto";
import { tooLarge } from "./read-body";

/** The SHA-256 of a request: its query and the raw bytes of its body. */
export interface RequestDigest {
  /** Set once all bytes were seen. */
  readonly known: string | undefined;
  /** Reads what is left, to nobody, and says it. */
  whole(): Promise<string>;
}

const begin = (search: string) => createHash("sha256").update(`${search}\n`);

/** Of a body that is in memory. */
export function digestOf(search: string, bytes: Uint8Array): RequestDigest {
  const known = begin(search).update(bytes).digest("hex");
  return { known, whole: () => Promise.resolve(known) };
}

/** A body that is hashed while somebody reads it. */
export class HashedUpload implements RequestDigest {
  known: string | undefined;
  readonly stream: ReadableStream<Uint8Array>;

  /** @param maxBytes a longer body errors with `body_too_large` */
  constructor(search: string, source: ReadableStream<Uint8Array>, maxBytes: number) {
    const hash = begin(search);
    let left = maxBytes;
    this.stream = source.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, out) => {
          left -= chunk.byteLength;
          if (left < 0) throw tooLarge(maxBytes);
          hash.update(chunk);
          out.enqueue(chunk);
        },
        flush: () => {
          this.known = hash.digest("hex");
        },
      }),
    );
  }

  async whole(): Promise<string> {
    await this.stream.pipeTo(new WritableStream());
    return this.known ?? "";
  }
}
