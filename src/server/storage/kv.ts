import { z } from "zod";
import type { JsonValue } from "../../protocol/json";
import { decodeJson, decodeText, encodeText } from "../platform/json-safety";
import { withSqlTransaction } from "../platform/transaction";
import { parseParams } from "./parse-params";
import { encodeValue, StorageKey, StoragePrefix } from "./storage-key";
import type { StorageOwner } from "./storage-owner";

const MAX_KEYS = 10_000;

const Key = z.object({ key: StorageKey });
const Entry = z.object({ key: StorageKey, value: z.unknown() });
const Swap = Entry.extend({ revision: z.string().max(32).nullable() });
const List = z.object({ prefix: StoragePrefix });

/** A key's value and revision, or null. */
export function kvGet(
  owner: StorageOwner,
  params: unknown,
): Promise<{ value: JsonValue; revision: string } | null> {
  const { key } = parseParams(Key, params);
  return withSqlTransaction(owner.orgId, async ({ sql }) => {
    const rows = await sql<{ value: string; revision: string }>(
      `SELECT value::text AS value, revision::text AS revision FROM kv_entry
       WHERE org_id = $1 AND agent_id = $2 AND key = $3`,
      [owner.orgId, owner.agentId, encodeText(key)],
    );
    const [row] = rows;
    return row ? { value: decodeJson(row.value) as JsonValue, revision: row.revision } : null;
  });
}

/** Writes a value, whatever was there. @throws AppError `body_too_large`. */
export async function kvPut(owner: StorageOwner, params: unknown): Promise<null> {
  const { key, value } = parseParams(Entry, params);
  const json = encodeValue(value);
  await withSqlTransaction(owner.orgId, ({ sql }) =>
    sql(
      `INSERT INTO kv_entry (org_id, agent_id, key, value) VALUES ($1, $2, $3, $4::json)
       ON CONFLICT (org_id, agent_id, key) DO UPDATE
       SET value = excluded.value, revision = kv_entry.revision + 1, updated_at = now()`,
      [owner.orgId, owner.agentId, encodeText(key), json],
    ),
  );
  return null;
}

/** Removes a value; one that is not there is no error. */
export async function kvDelete(owner: StorageOwner, params: unknown): Promise<null> {
  const { key } = parseParams(Key, params);
  await withSqlTransaction(owner.orgId, ({ sql }) =>
    sql("DELETE FROM kv_entry WHERE org_id = $1 AND agent_id = $2 AND key = $3", [
      owner.orgId,
      owner.agentId,
      encodeText(key),
    ]),
  );
  return null;
}

/** Keys that begin with a prefix, in order; at most 10,000. */
export function kvList(owner: StorageOwner, params: unknown): Promise<{ keys: string[] }> {
  const { prefix } = parseParams(List, params ?? {});
  return withSqlTransaction(owner.orgId, async ({ sql }) => {
    const rows = await sql<{ key: string }>(
      `SELECT key FROM kv_entry
       WHERE org_id = $1 AND agent_id = $2 AND starts_with(key, $3)
       ORDER BY key COLLATE "C" LIMIT $4`,
      [owner.orgId, owner.agentId, encodeText(prefix), MAX_KEYS],
    );
    return { keys: rows.map((row) => decodeText(row.key)) };
  });
}

/** Writes a value only if the key still has that revision; `null`: only if it does not exist. */
export function kvCas(owner: StorageOwner, params: unknown): Promise<{ swapped: boolean }> {
  const { key, value, revision } = parseParams(Swap, params);
  const args = [owner.orgId, owner.agentId, encodeText(key), encodeValue(value)];
  return withSqlTransaction(owner.orgId, async ({ sql }) => {
    const rows =
      revision === null
        ? await sql(
            `INSERT INTO kv_entry (org_id, agent_id, key, value) VALUES ($1, $2, $3, $4::json)
             ON CONFLICT DO NOTHING RETURNING 1`,
            args,
          )
        : await sql(
            `UPDATE kv_entry SET value = $4::json, revision = revision + 1, updated_at = now()
             WHERE org_id = $1 AND agent_id = $2 AND key = $3 AND revision::text = $5 RETURNING 1`,
            [...args, revision],
          );
    return { swapped: rows.length > 0 };
  });
}
