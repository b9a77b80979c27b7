import { platform } from "../platform/platform";

const BATCH = 1_000;

/** Removes keys whose day, or whose lease, is over. @returns how many */
export async function sweepKeys(): Promise<number> {
  const { pool } = platform();
  let removed = 0;
  for (let last = BATCH; last === BATCH; removed += last) {
    const { rows } = await pool.query<{ n: number }>("SELECT berth_sweep_keys($1) AS n", [BATCH]);
    last = rows[0]?.n ?? 0;
  }
  return removed;
}
