import { PERMISSIONS, type Permission } from "../../protocol/permission";
import { equalBytes } from "../platform/crypto";
import { AppError } from "../platform/errors";
import { now, platform } from "../platform/platform";
import { parseApiKeyToken } from "./api-key-token";
import type { KeyCaller } from "./caller";

interface KeyRow {
  org_id: string;
  hash: Buffer;
  service_account_id: string;
  service_account_name: string;
  permissions: string[];
  agent_id: string | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const TOUCH_EVERY_MS = 60_000;
const TOUCHED_KEYS = 10_000;
const touched = new Map<string, number>();

/**
 * Who an API key speaks for: the checksum is checked offline, then one look-up.
 * @throws AppError `unauthenticated`, with one message for every reason
 */
export async function authenticateBearer(token: string): Promise<KeyCaller> {
  const parsed = parseApiKeyToken(token);
  if (!parsed) throw unauthenticated();
  const { rows } = await platform().pool.query<KeyRow>({
    name: "berth_api_key",
    text: "SELECT * FROM berth_api_key($1)",
    values: [parsed.keyId],
  });
  const row = rows[0];
  if (!row || !equalBytes(row.hash, parsed.hash) || !isLive(row)) throw unauthenticated();
  await touch(parsed.keyId);
  return {
    kind: "key",
    keyId: parsed.keyId,
    orgId: row.org_id,
    serviceAccountId: row.service_account_id,
    serviceAccountName: row.service_account_name,
    permissions: new Set(row.permissions.filter(isPermission)),
    onlyAgentId: row.agent_id ?? undefined,
  };
}

export const unauthenticated = (): AppError =>
  new AppError("unauthenticated", "Sign in, or send a valid API key as a bearer token.");

const isPermission = (name: string): name is Permission =>
  (PERMISSIONS as readonly string[]).includes(name);

const isLive = (row: KeyRow): boolean =>
  row.revoked_at === null && (row.expires_at === null || row.expires_at > now());

/** Records that the key was used, at most once a minute for each process. */
async function touch(keyId: string): Promise<void> {
  const at = now().getTime();
  if (at - (touched.get(keyId) ?? 0) < TOUCH_EVERY_MS) return;
  if (touched.size >= TOUCHED_KEYS) touched.clear();
  touched.set(keyId, at);
  await platform().pool.query("SELECT berth_touch_api_key($1)", [keyId]);
}
