import type { Redactor } from "../secrets";

/** Largest contents of an artifact in bytes. */
export const CONTENT_BYTES = 64 * 1024 * 1024;

/** The bytes of a new artifact, wherever they wait. */
export interface Contents {
  size: number;
  /** Whether they are UTF-8: then secrets are taken out of them. */
  isText: boolean;
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Contents that are in memory. */
export function contentsOf(bytes: Buffer): Contents {
  return { size: bytes.length, isText: isUtf8(bytes), read: () => [bytes] };
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The bytes as they may be kept: text without the values of secrets, anything else as it is. */
export async function* withoutSecrets(
  contents: Contents,
  redactor: Redactor,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!contents.isText) {
    yield* contents.read();
    return;
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const redacted = redactor.stream();
  for await (const bytes of contents.read()) {
    yield Buffer.from(redacted.push(decoder.decode(bytes, { stream: true })));
  }
  yield Buffer.from(redacted.push(decoder.decode()) + redacted.flush());
}
