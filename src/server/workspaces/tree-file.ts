import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { sha256Hex } from "../platform/crypto";
import { hashBytes } from "./hash-bytes";
import { plainMode } from "./saved-file";
import type { TreeFile } from "./tree";

/** A file of a tree from bytes in memory. */
export const bytesFile = (bytes: Uint8Array, permissions = 0o644): TreeFile => ({
  sha256: sha256Hex(bytes),
  size: bytes.length,
  mode: plainMode(permissions),
  open: () => Promise.resolve(bytes),
});

/** A file of a tree from one of the host's own, which does not change. */
export async function hostFile(path: string): Promise<TreeFile> {
  const { mode } = await stat(path);
  return {
    ...(await hashBytes(createReadStream(path))),
    mode: plainMode(mode & 0o100 ? 0o755 : 0o644),
    open: () => Promise.resolve(createReadStream(path)),
  };
}

/** All bytes of a file of a tree. */
export async function bytesOf(file: TreeFile): Promise<Buffer> {
  const content = await file.open();
  if (content instanceof Uint8Array) return Buffer.from(content);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
