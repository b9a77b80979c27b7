import type { Readable } from "node:stream";
import { z } from "zod";
import { openBlob, putBlob } from "../blobs";
import { AppError } from "../platform/errors";
import { decodeText, encodeText } from "../platform/json-safety";
import { withSqlTransaction } from "../platform/transaction";
import { parseParams } from "./parse-params";
import { StorageKey, StoragePrefix } from "./storage-key";
import type { StorageOwner } from "./storage-owner";

const FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 10_000;

const Path = z.object({ path: StorageKey });
const Put = z.object({ path: StorageKey, base64: z.base64() });
const List = z.object({ prefix: StoragePrefix });

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A file's bytes, or null. */
export async function filesGet(
  owner: StorageOwner,
  params: unknown,
): Promise<{ base64: string } | null> {
  const { path } = parseParams(Path, params);
  const [row] = await withSqlTransaction(owner.orgId, ({ sql }) =>
    sql<{ sha256: string }>(
      "SELECT sha256 FROM file_entry WHERE org_id = $1 AND agent_id = $2 AND path = $3",
      [owner.orgId, owner.agentId, encodeText(path)],
    ),
  );
  if (!row) return null;
  const { stream } = await openBlob(owner.orgId, row.sha256);
  return { base64: (await readAll(stream)).toString("base64") };
}

/** Keeps a file, whatever was there. @throws AppError `body_too_large` over 16 MiB or 10,000 files. */
export async function filesPut(owner: StorageOwner, params: unknown): Promise<null> {
  const { path, base64 } = parseParams(Put, params);
  const bytes = Buffer.from(base64, "base64");
  await withSqlTransaction(owner.orgId, async (tx) => {
    const { sha256 } = await putBlob(owner.orgId, bytes, { maxBytes: FILE_BYTES, tx });
    await tx.sql(
      `INSERT INTO file_entry (org_id, agent_id, path, sha256, size) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (org_id, agent_id, path) DO UPDATE
       SET sha256 = excluded.sha256, size = excluded.size, updated_at = now()`,
      [owner.orgId, owner.agentId, encodeText(path), sha256, bytes.length],
    );
    const [count] = await tx.sql<{ files: number }>(
      "SELECT count(*)::int AS files FROM file_entry WHERE org_id = $1 AND agent_id = $2",
      [owner.orgId, owner.agentId],
    );
    if ((count?.files ?? 0) > MAX_FILES) {
      throw new AppError("body_too_large", `An agent keeps at most ${MAX_FILES} files.`);
    }
  });
  return null;
}

/** Removes a file; one that is not there is no error. */
export async function filesDelete(owner: StorageOwner, params: unknown): Promise<null> {
  const { path } = parseParams(Path, params);
  await withSqlTransaction(owner.orgId, ({ sql }) =>
    sql("DELETE FROM file_entry WHERE org_id = $1 AND agent_id = $2 AND path = $3", [
      owner.orgId,
      owner.agentId,
      encodeText(path),
    ]),
  );
  return null;
}

/** Files whose path begins with a prefix, in order. */
export function filesList(
  owner: StorageOwner,
  params: unknown,
): Promise<{ files: { path: string; size: number }[] }> {
  const { prefix } = parseParams(List, params ?? {});
  return withSqlTransaction(owner.orgId, async ({ sql }) => {
    const rows = await sql<{ path: string; size: string }>(
      `SELECT path, size::text AS size FROM file_entry
       WHERE org_id = $1 AND agent_id = $2 AND starts_with(path, $3)
       ORDER BY path COLLATE "C" LIMIT $4`,
      [owner.orgId, owner.agentId, encodeText(prefix), MAX_FILES],
    );
    return { files: rows.map((row) => ({ path: decodeText(row.path), size: Number(row.size) })) };
  });
}
