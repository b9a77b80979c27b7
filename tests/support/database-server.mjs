import { startTestDatabase } from "../../scripts/lib/test-database.mjs";

/** One server for all layers of a run: every project's global setup comes through here. */
let running;

/**
 * Vitest's global setup for the layers that need Postgres: uses the server `npm test` started,
 * or starts one of its own, and stops what it started.
 */
export async function setup() {
  if (process.env.TEST_DATABASE_ADMIN_URL) return undefined;
  running ??= startTestDatabase();
  const { env, stop } = await running;
  Object.assign(process.env, env);
  return stop;
}
