import { randomBytes } from "node:crypto";
import pg from "pg";

/** A database of one test file: migrated, empty, dropped by `drop`. */
export interface TestDatabase {
  name: string;
  /** The role that owns the schema; row-level security does not bind it. */
  ownerUrl: string;
  /** The role the services use; row-level security binds it. */
  appUrl: string;
  drop(): Promise<void>;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests with vitest from the root.`);
  return value;
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: required("TEST_DATABASE_ADMIN_URL") });
  await client.connect();
  try {
    // A template cannot be copied twice at once; the lock makes test files take turns.
    await client.query("SELECT pg_advisory_lock(7270736)");
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Clones the migrated template. Call once per test file, and `drop` in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `berth_test_${randomBytes(6).toString("hex")}`;
  const template = required("TEST_DATABASE_TEMPLATE");
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    name,
    ownerUrl: inDatabase(required("TEST_DATABASE_OWNER_URL"), name),
    appUrl: inDatabase(required("TEST_DATABASE_APP_URL"), name),
    drop: () => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
