import { randomBytes } from "node:crypto";
import { seal, unseal } from "../platform/crypto";
import { platform } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";

/** The statements of a transaction of one org. */
export type OrgSql = Pick<SqlTx, "orgId" | "sql">;

const KEY_BYTES = 32;
const FIRST_KEY = 1;

const masterKey = (): Buffer => Buffer.from(platform().env.BERTH_MASTER_KEY, "base64");
const placeOf = (orgId: string, id: number): string => JSON.stringify(["data-key", orgId, id]);

/** The key that seals an org's values now; the first use makes it. */
export async function currentDataKey(tx: OrgSql): Promise<{ id: number; key: Buffer }> {
  const existing = await newestKey(tx);
  if (existing) return unwrap(tx.orgId, existing);
  const wrapped = seal(masterKey(), randomBytes(KEY_BYTES), placeOf(tx.orgId, FIRST_KEY));
  // Two first uses at once: one row wins, and both read it back.
  await tx.sql(
    "INSERT INTO data_key (org_id, id, wrapped) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [tx.orgId, FIRST_KEY, wrapped],
  );
  const made = await newestKey(tx);
  if (!made) throw new Error(`org ${tx.orgId} has no data key`);
  return unwrap(tx.orgId, made);
}

const CACHED = 1000;
const opened = new Map<string, Buffer>();

/** A key of an org by its number, from memory after the first time. @throws Error for none */
export async function dataKey(tx: OrgSql, id: number): Promise<Buffer> {
  const place = placeOf(tx.orgId, id);
  const known = opened.get(place);
  if (known) return known;
  const key = await readKey(tx, id);
  if (opened.size >= CACHED) opened.clear();
  opened.set(place, key);
  return key;
}

async function readKey(tx: OrgSql, id: number): Promise<Buffer> {
  const [row] = await tx.sql<KeyRow>(
    "SELECT id, wrapped FROM data_key WHERE org_id = $1 AND id = $2",
    [tx.orgId, id],
  );
  if (!row) throw new Error(`org ${tx.orgId} has no data key ${id}`);
  return unwrap(tx.orgId, row).key;
}

interface KeyRow {
  id: number;
  wrapped: Uint8Array;
}

const newestKey = async (tx: OrgSql): Promise<KeyRow | undefined> => {
  const rows = await tx.sql<KeyRow>(
    "SELECT id, wrapped FROM data_key WHERE org_id = $1 ORDER BY id DESC LIMIT 1",
    [tx.orgId],
  );
  return rows[0];
};

const unwrap = (orgId: string, { id, wrapped }: KeyRow) => ({
  id,
  key: unseal(masterKey(), wrapped, placeOf(orgId, id)),
});
