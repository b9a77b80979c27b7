import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "./problem.mjs";
import { ROOT } from "./root.mjs";

/** The advisory lock Prisma Migrate takes, so the two exclude each other. */
const PRISMA_LOCK = 72707369;

const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

async function readMigrations(dir) {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(dir, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Whether the ledger already holds this migration; a failed or edited one is a Problem. */
function isApplied(row, { name, checksum }) {
  if (!row) return false;
  if (!row.finished_at) {
    throw new Problem(
      `Migration ${name} failed earlier.`,
      `Mend the database, then: npx prisma migrate resolve --rolled-back ${name}`,
    );
  }
  if (row.checksum !== checksum) {
    throw new Problem(
      `Migration ${name} was edited after it was applied.`,
      "Restore the file and add a new migration, or start over with --fresh.",
    );
  }
  return true;
}

async function apply(client, { name, sql, checksum }) {
  const id = randomUUID();
  await client.query(
    "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)",
    [id, checksum, name],
  );
  try {
    await client.query(sql); // one simple query is one implicit transaction
  } catch (error) {
    await client.query("UPDATE _prisma_migrations SET logs = $2 WHERE id = $1", [
      id,
      String(error.stack ?? error),
    ]);
    throw new Error(`Migration ${name}: ${error.message}`, { cause: error });
  }
  await client.query(
    "UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1",
    [id],
  );
}

/**
 * Applies prisma/migrations with node-postgres alone and keeps Prisma's own ledger, so that this
 * and `prisma migrate status|dev|deploy` can be mixed. Brings the database at `url`
 * (the owner's) up to date; concurrent callers wait for each other. Returns the names applied.
 */
export async function applyMigrations({ url, dir = join(ROOT, "prisma/migrations") }) {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [PRISMA_LOCK]);
    await client.query(LEDGER);
    const { rows } = await client.query(
      `SELECT migration_name, checksum, finished_at FROM _prisma_migrations
       WHERE rolled_back_at IS NULL`,
    );
    const ledger = new Map(rows.map((row) => [row.migration_name, row]));
    const applied = [];
    for (const migration of await readMigrations(dir)) {
      if (isApplied(ledger.get(migration.name), migration)) continue;
      await apply(client, migration);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    await client.end(); // ending the session releases the lock
  }
}
