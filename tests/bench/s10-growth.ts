import pg from "pg";
import type { Bench, Scenario } from "./bench";
import { benchTurn, type TurnTimes } from "./bench-turn";
import { percentile } from "./statistics";

/** Turns at either end that are compared. */
const SAMPLE = 20;

/** Bytes of every table with its indexes and long values. */
async function storedBytes(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r'`,
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}

/** What a turn takes from its start in the log to its first token: no queue, no request. */
const medianFirst = (turns: readonly TurnTimes[]): number =>
  percentile(
    turns.map(({ first }) => first),
    50,
  );

async function turnsOf({ http }: Bench, count: number): Promise<TurnTimes[]> {
  const turns: TurnTimes[] = [await benchTurn(http)];
  for (let after = turns.at(-1); after && turns.length < count; after = turns.at(-1)) {
    turns.push(await benchTurn(http, { after }));
  }
  return turns;
}

/**
 * S10: one session that grows: what a turn takes and leaves at its beginning and at its end. The
 * model reads the whole conversation each time, as models do; that time is in the later figures.
 */
export const growth: Scenario = async (bench) => {
  const count = bench.quick ? 200 : 1_000;
  const before = await storedBytes(bench.databaseUrl);
  const turns = await turnsOf(bench, count);
  const after = await storedBytes(bench.databaseUrl);
  // The first turn also opens the session and warms the worker.
  const early = medianFirst(turns.slice(1, SAMPLE + 1));
  const late = medianFirst(turns.slice(-SAMPLE));
  return {
    "early.first.ms": early,
    "late.first.ms": late,
    "late.to.early": late / early,
    "bytes.per.turn": (after - before) / count,
  };
};
