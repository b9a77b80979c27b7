import { notFound } from "../platform/errors";
import { platform } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";
import { unsealForOrg } from "./sealed-value";
import { ORG_SCOPE } from "./secret-scope";

/** Whose environment is asked for, and which of the org's secrets its manifest names. */
export interface RuntimeEnvInput {
  orgId: string;
  agentId: string;
  secretNames: readonly string[];
}

/** Variables by name, and the revision that `runtimeRevision` answers until one changes. */
export interface RuntimeEnv {
  env: Record<string, string>;
  revision: string;
}

interface SecretRow {
  scope: string;
  name: string;
  version: number;
  sealed: Uint8Array;
  data_key_id: number;
}

/** The agent's secrets, and those of the org that the manifest names; the agent's win. */
export async function readRuntimeEnv(tx: SqlTx, input: RuntimeEnvInput): Promise<RuntimeEnv> {
  // First the revision: a change in between makes it stale, and the process is replaced.
  const revision = await readRevision(tx.sql, input);
  const rows = await tx.sql<SecretRow>(
    `SELECT DISTINCT ON (scope, name) scope, name, version, sealed, data_key_id FROM secret
     WHERE org_id = $1 AND deleted_at IS NULL
       AND (scope = $2 OR (scope = $3 AND name = ANY($4::text[])))
     ORDER BY scope, name, version DESC`,
    [input.orgId, input.agentId, ORG_SCOPE, input.secretNames],
  );
  return { env: await unsealAll(tx, rows), revision };
}

/** The org's rows first, so that the agent's own overwrite them. */
async function unsealAll(tx: SqlTx, rows: SecretRow[]): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  const agentLast = [...rows].sort(
    (a, b) => Number(b.scope === ORG_SCOPE) - Number(a.scope === ORG_SCOPE),
  );
  for (const { data_key_id: dataKeyId, sealed, ...place } of agentLast) {
    env[place.name] = await unsealForOrg(tx, place, { sealed, dataKeyId });
  }
  return env;
}

/**
 * Changes with every change of a secret that `runtimeEnv` would deliver. One quick statement.
 * @throws AppError `not_found` when there is no such agent
 */
export const runtimeRevision = (input: RuntimeEnvInput): Promise<string> =>
  readRevision(async (text, params) => (await platform().pool.query(text, params)).rows, input);

type Read = (text: string, params: unknown[]) => Promise<Record<string, unknown>[]>;

async function readRevision(read: Read, input: RuntimeEnvInput): Promise<string> {
  const [row] = await read("SELECT berth_secrets_revision($1, $2, $3) AS revision", [
    input.orgId,
    input.agentId,
    input.secretNames.length > 0,
  ]);
  if (typeof row?.revision !== "string") throw notFound();
  return row.revision;
}
