import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { createLogger } from "../../../src/server/platform/log";
import { createPostgresPubSub } from "../../../src/server/platform/pubsub-postgres";
import { createTestDatabase, type TestDatabase } from "../../support/database";
import { pubsubSuite } from "./pubsub-suite";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Ends every other connection of the services' role, as a restart of the server would. */
async function cut(): Promise<void> {
  const client = new pg.Client({ connectionString: database.appUrl });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`,
  );
  await client.end();
}

pubsubSuite(
  "LISTEN/NOTIFY",
  () =>
    createPostgresPubSub({
      connectionString: database.appUrl,
      log: createLogger("test", "silent"),
    }),
  cut,
);
