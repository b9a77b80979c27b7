import type { PoolClient, QueryResultRow } from "pg";
import type { TenantDb } from "./db";
import { tenantClient } from "./db";
import { platform } from "./platform";

/** Runs SQL in the transaction and answers its rows. Only in the files the linter names. */
export type Sql = <Row extends object = Record<string, unknown>>(
  text: string,
  params?: unknown[],
) => Promise<Row[]>;

/** An open transaction of one org: `app.org` is set, so the database shows that org's rows only. */
export interface Tx {
  readonly orgId: string;
  readonly db: TenantDb;
  readonly sql: Sql;
  /** Registers work for after the commit, such as waking somebody; never runs on rollback. */
  afterCommit(wake: () => Promise<void>): void;
}

/** A transaction on the raw driver, for the hot paths of the log. */
export type SqlTx = Omit<Tx, "db">;

const ORG_ID = /^[a-z0-9_]{1,64}$/;

/** Statement that starts a transaction of an org in one round trip. */
function beginFor(orgId: string): string {
  if (!ORG_ID.test(orgId)) throw new Error("not an org id");
  return `BEGIN; SELECT set_config('app.org', '${orgId}', true)`;
}

const runWakes = async (wakes: (() => Promise<void>)[]): Promise<void> => {
  for (const wake of wakes) await wake();
};

/**
 * Runs work in one transaction of an org through Prisma; commits when it resolves.
 * Wakes run after the commit, in order.
 */
export async function withTransaction<T>(orgId: string, run: (tx: Tx) => Promise<T>): Promise<T> {
  const wakes: (() => Promise<void>)[] = [];
  const result = await tenantClient(platform().prisma, orgId).$transaction(
    async (db) => {
      await db.$executeRawUnsafe("SELECT set_config('app.org', $1, true)", orgId);
      const sql: Sql = (text, params = []) => db.$queryRawUnsafe(text, ...params);
      return run({ orgId, db, sql, afterCommit: (w) => void wakes.push(w) });
    },
    { timeout: 15_000, maxWait: 10_000 },
  );
  await runWakes(wakes);
  return result;
}

/** Like `withTransaction`, on the raw driver: for statements that must be fast. */
export async function withSqlTransaction<T>(
  orgId: string,
  run: (tx: SqlTx) => Promise<T>,
): Promise<T> {
  const begin = beginFor(orgId);
  const wakes: (() => Promise<void>)[] = [];
  const client = await platform().pool.connect();
  let broken: Error | undefined;
  let result: T;
  try {
    await client.query(begin);
    result = await run({ orgId, sql: sqlOn(client), afterCommit: (w) => void wakes.push(w) });
    await client.query("COMMIT");
  } catch (error) {
    broken = await rollback(client);
    throw error;
  } finally {
    client.release(broken);
  }
  await runWakes(wakes);
  return result;
}

const sqlOn =
  (client: PoolClient): Sql =>
  async <Row extends object>(text: string, params: unknown[] = []) =>
    (await client.query<Row & QueryResultRow>(text, params)).rows;

/** Rolls back; a connection that cannot even do that is given up. */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
