import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("the services' role is neither superuser nor exempt from row-level security", async () => {
  const rows = await query(
    database.appUrl,
    "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user",
  );
  expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false }]);
});

test("the services' role owns no table", async () => {
  const rows = await query(
    database.appUrl,
    "SELECT relname FROM pg_class WHERE relowner = current_user::regrole",
  );
  expect(rows).toEqual([]);
});

test("the services' role uses our tables and the queue's", async () => {
  expect(await query(database.appUrl, "SELECT id FROM org")).toEqual([]);
  const schemas = await query(
    database.appUrl,
    "SELECT has_schema_privilege(current_user, 'bullmq', 'USAGE') AS allowed",
  );
  expect(schemas).toEqual([{ allowed: true }]);
});

test("the services' role cannot rewrite the audit trail", async () => {
  await expect(query(database.appUrl, "DELETE FROM audit_entry")).rejects.toThrow(
    /permission denied/,
  );
  await expect(query(database.appUrl, "UPDATE audit_entry SET org_id = org_id")).rejects.toThrow(
    /permission denied/,
  );
});

test("a clone holds every migration of the ledger, finished", async () => {
  const rows = await query(
    database.ownerUrl,
    "SELECT count(*)::int AS n, count(finished_at)::int AS finished FROM _prisma_migrations",
  );
  expect(rows[0]!.n).toBeGreaterThan(0);
  expect(rows[0]!.finished).toBe(rows[0]!.n);
});
