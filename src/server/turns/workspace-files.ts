import { z } from "zod";
import { putBlob } from "../blobs";
import { sha256Hex } from "../platform/crypto";
import { AppError } from "../platform/errors";
import { byteLength } from "../platform/json-safety";
import type { SqlTx } from "../platform/transaction";

const MAX_FILES = 100;
const MAX_BYTES = 12 * 1024 * 1024;
const MAX_PATH_BYTES = 1024;
/** What file systems take. */
const MAX_NAME_BYTES = 255;

const Entry = z.union([
  z.strictObject({ path: z.string(), content: z.string() }),
  z.strictObject({ path: z.string(), contentBase64: z.base64() }),
]);
type Entry = z.output<typeof Entry>;

/** Files sent with a message: a list, or a map from path to text. */
export const WorkspaceFiles = z.union([z.array(Entry), z.record(z.string(), z.string())]);

/** A checked file of a message, with its bytes. */
export interface MessageFile {
  /** Relative to the workspace, with `/`. */
  path: string;
  sha256: string;
  size: number;
  bytes: Buffer;
}

/**
 * Decodes and checks the files of a message.
 * @throws AppError `invalid_request` for more than 100 files or a path that is not inside the
 * workspace, too long or there twice; `body_too_large` for more than 12 MiB decoded
 */
export function checkWorkspaceFiles(input: z.output<typeof WorkspaceFiles>): MessageFile[] {
  const entries = Array.isArray(input)
    ? input
    : Object.entries(input).map(([path, content]) => ({ path, content }));
  if (entries.length > MAX_FILES) throw refused(`A message holds at most ${MAX_FILES} files.`);
  const files = entries.map(decode);
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) {
    throw new AppError("body_too_large", "workspaceFiles hold at most 12 MiB, decoded.");
  }
  requireDistinct(files.map(({ path }) => path));
  return files;
}

function decode(entry: Entry): MessageFile {
  const path = entry.path.replace(/^(\.\/)+/, "");
  requireInside(path);
  const bytes =
    "content" in entry
      ? Buffer.from(entry.content, "utf8")
      : Buffer.from(entry.contentBase64, "base64");
  return { path, sha256: sha256Hex(bytes), size: bytes.length, bytes };
}

function requireInside(path: string): void {
  const inside = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!inside || /[\0\\\ufffd\ue000]/.test(path) || !path.isWellFormed()) {
    throw refused(`${JSON.stringify(path)} is no path inside the workspace.`);
  }
  if (byteLength(path) > MAX_PATH_BYTES) {
    throw refused(`A path holds at most ${MAX_PATH_BYTES} bytes: ${path.slice(0, 80)}…`);
  }
  if (path.split("/").some((name) => byteLength(name) > MAX_NAME_BYTES)) {
    throw refused(`A name in a path holds at most ${MAX_NAME_BYTES} bytes: ${path.slice(0, 80)}…`);
  }
}

/** No path twice, and none that is a file here and a folder there. */
function requireDistinct(paths: readonly string[]): void {
  const files = new Set(paths);
  if (files.size < paths.length) throw refused("A path stands there twice.");
  for (const path of paths) {
    const parts = path.split("/");
    const folder = parts.map((_, i) => parts.slice(0, i).join("/")).find((at) => files.has(at));
    if (folder !== undefined) throw refused(`${folder} is a file and the folder of ${path}.`);
  }
}

const refused = (message: string): AppError =>
  new AppError("invalid_request", `workspaceFiles: ${message}`, {
    details: { issues: [{ path: "workspaceFiles", message }] },
  });

/** The files as the message's row has them; null without any. */
export const filesColumn = (files: readonly MessageFile[]): string | null =>
  files.length === 0
    ? null
    : JSON.stringify(files.map(({ path, sha256, size }) => ({ path, sha256, size })));

/** Keeps the bytes as blobs of the session, in the transaction that keeps the message. */
export async function keepWorkspaceFiles(
  tx: SqlTx,
  sessionId: string,
  files: readonly MessageFile[],
): Promise<void> {
  const kept = new Set<string>();
  for (const { sha256, bytes } of files) {
    if (kept.has(sha256)) continue;
    kept.add(sha256);
    await putBlob(tx.orgId, bytes, { maxBytes: MAX_BYTES, sha256, holder: sessionId, tx });
  }
}
