import { usageError } from "./exit-code";
import type { ReadableLike } from "./io";

/** Everything on stdin, to the end of the stream. */
export async function readStdin(stdin: ReadableLike): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/**
 * Bytes as text.
 * @throws usage error when they are not UTF-8: they could not be stored unchanged
 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${what} is not UTF-8 text.`, "Encode binary values, for example as base64.");
  }
}
