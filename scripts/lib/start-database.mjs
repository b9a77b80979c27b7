import { join } from "node:path";
import { APP_ROLE, ensureDatabase, ensureRoles, OWNER_ROLE, withDatabase } from "./database.mjs";
import { phase, say } from "./phase.mjs";
import { startPostgres } from "./postgres.mjs";

const NAME = "berth";

/** The database of the environment; with one login for both, row-level security cannot bind. */
function givenDatabase(env) {
  const appUrl = env.DATABASE_URL;
  const ownerUrl = env.DATABASE_MIGRATE_URL ?? appUrl;
  if (new URL(ownerUrl).username === new URL(appUrl).username) {
    say("  WARNING: one login for migrations and services: row-level security does not bind.");
    say("  Set DATABASE_MIGRATE_URL to the owner's URL, DATABASE_URL to another role's.");
  }
  return { ownerUrl, appUrl, appRole: decodeURIComponent(new URL(appUrl).username) };
}

async function embeddedDatabase(dir, secrets, shutdown, onLost) {
  const server = await startPostgres({ dir: join(dir, "postgres") });
  shutdown.add("Postgres", server.stop);
  void server.exited.then(onLost);
  await ensureRoles(server.url, secrets);
  await ensureDatabase(server.url, NAME);
  const login = (user, password) => withDatabase(server.url, NAME, { user, password });
  return {
    ownerUrl: login(OWNER_ROLE, secrets.ownerPassword),
    appUrl: login(APP_ROLE, secrets.appPassword),
    appRole: APP_ROLE,
    pid: server.pid,
    reused: server.reused,
  };
}

/**
 * The database of this installation: the one DATABASE_URL names, or our own Postgres below `dir`.
 * Returns `{ ownerUrl, appUrl, appRole, pid? }`.
 */
export async function startDatabase({ dir, secrets, shutdown, onLost, env = process.env }) {
  if (env.DATABASE_URL) {
    say("▸ Postgres: the one DATABASE_URL names");
    return givenDatabase(env);
  }
  let database;
  await phase("Postgres", async () => {
    database = await embeddedDatabase(dir, secrets, shutdown, onLost);
    return database.reused ? "took over the one an interrupted run left" : "started";
  });
  return database;
}
