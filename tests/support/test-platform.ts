import pg from "pg";
import { readEnv } from "../../src/server/platform/env";
import type { Platform } from "../../src/server/platform/platform";
import { startPlatform } from "../../src/server/platform/start-platform";
import { createTestDatabase } from "./database";

export interface TestPlatform {
  platform: Platform;
  /** SQL as the schema's owner, past row-level security: to arrange and to look. */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    params?: unknown[],
  ): Promise<Row[]>;
  /** Stops the platform and drops its database. */
  stop(): Promise<void>;
}

/** A started platform on a database of its own. Call in `beforeAll`, `stop` in `afterAll`. */
export async function startTestPlatform(
  settings: Record<string, string> = {},
): Promise<TestPlatform> {
  const database = await createTestDatabase();
  const env = readEnv({
    DATABASE_URL: database.appUrl,
    DATABASE_MIGRATE_URL: database.ownerUrl,
    BERTH_SECRET: "test-secret-test-secret-test-secret",
    BERTH_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    BERTH_INTERNAL_TOKEN: "internal-token-of-tests",
    BERTH_LOG_LEVEL: "error",
    ...settings,
  });
  const started = await startPlatform("test", env);
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  // The pool says it has ended before its sockets are closed; dropping the database may cut them.
  owner.on("connect", (client) => client.on("error", () => undefined));
  owner.on("error", () => undefined);
  return {
    platform: started.platform,
    sql: async (text, params = []) => (await owner.query(text, params)).rows,
    async stop() {
      await started.stop();
      await owner.end();
      await database.drop();
    },
  };
}
