import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { createQueueBackend } from "../../../src/server/jobs";
import { createLogger } from "../../../src/server/platform/log";
import { createTestDatabase, type TestDatabase } from "../../support/database";
import { queueSuite } from "./queue-suite";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

queueSuite("BullMQ on Postgres", () =>
  createQueueBackend({
    databaseUrl: database.appUrl,
    redis: undefined,
    log: createLogger("test", "silent"),
    prefix: `test-${randomBytes(4).toString("hex")}`,
  }),
);
