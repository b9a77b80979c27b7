import { createHash } from "node:crypto";

/** SHA-256 of bytes as they come, in lower-case hex, and how many they are. */
export async function hashBytes(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    size += piece.length;
  }
  return { sha256: hash.digest("hex"), size };
}
