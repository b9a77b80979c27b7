import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readJson, writePrivateJson } from "./state-file.mjs";

const token = () => randomBytes(32).toString("base64url");

/**
 * The installation's keys and the two database passwords, made once and kept in `secrets.json`.
 * Losing the master key makes every stored secret unreadable, so it lives and dies with the data.
 */
export function stateSecrets(dir) {
  const path = join(dir, "secrets.json");
  const stored = readJson(path);
  if (stored) return stored;
  const secrets = {
    BERTH_SECRET: token(),
    BERTH_MASTER_KEY: randomBytes(32).toString("base64"),
    BERTH_INTERNAL_TOKEN: token(),
    ownerPassword: token(),
    appPassword: token(),
  };
  writePrivateJson(path, secrets);
  return secrets;
}
