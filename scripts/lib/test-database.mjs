import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  APP_ROLE,
  ensureDatabase,
  ensureRoles,
  migrateAll,
  OWNER_ROLE,
  withClient,
  withDatabase,
} from "./database.mjs";
import { startPostgres } from "./postgres.mjs";

/** Tests lose nothing in a power cut, so nothing waits for the disk. */
const FAST = [
  "max_connections=300",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "shared_buffers=128MB",
];
const TEMPLATE = "berth_template";

/** Makes the roles and the migrated template; returns the environment tests read. */
async function prepareTemplate(adminUrl) {
  const ownerPassword = randomBytes(18).toString("base64url");
  const appPassword = randomBytes(18).toString("base64url");
  await ensureRoles(adminUrl, { ownerPassword, appPassword });
  await withClient(adminUrl, (client) =>
    client.query(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`),
  );
  await ensureDatabase(adminUrl, TEMPLATE);
  const ownerUrl = withDatabase(adminUrl, TEMPLATE, { user: OWNER_ROLE, password: ownerPassword });
  await migrateAll({ ownerUrl, appRole: APP_ROLE });
  return {
    TEST_DATABASE_ADMIN_URL: adminUrl,
    TEST_DATABASE_TEMPLATE: TEMPLATE,
    TEST_DATABASE_OWNER_URL: ownerUrl,
    TEST_DATABASE_APP_URL: withDatabase(adminUrl, TEMPLATE, {
      user: APP_ROLE,
      password: appPassword,
    }),
  };
}

/**
 * Starts a throwaway Postgres with a migrated template database. Returns `{ env, stop }`: the
 * variables tests/support/database reads, and what removes everything again.
 */
export async function startTestDatabase() {
  const dir = await mkdtemp(join(tmpdir(), "berth-test-pg-"));
  await chmod(dir, 0o711); // as root, Postgres runs as somebody else and must get through
  const server = await startPostgres({ dir: join(dir, "postgres"), flags: FAST }).catch((error) => {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  });
  const stop = async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    return { env: await prepareTemplate(server.url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
