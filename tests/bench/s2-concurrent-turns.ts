import type { Bench, Scenario } from "./bench";
import { benchTurn, type TurnTimes } from "./bench-turn";
import { percentile, type Run } from "./statistics";

/** Turns in new sessions, `lanes` at a time; a lost one makes it throw. */
async function level({ http }: Bench, lanes: number, total: number): Promise<Run> {
  const turns: TurnTimes[] = [];
  let left = total;
  const since = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      turns.push(await benchTurn(http));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - since) / 1000;
  const first = turns.map((turn) => turn.first);
  return {
    [`c${lanes}.turns.per.s`]: turns.length / seconds,
    [`c${lanes}.first.p50.ms`]: percentile(first, 50),
    [`c${lanes}.first.p99.ms`]: percentile(first, 99),
    [`c${lanes}.lost`]: total - turns.length,
  };
}

/** S2: many new sessions at once. */
export const concurrentTurns: Scenario = async (bench) => ({
  ...(await level(bench, 20, bench.quick ? 100 : 200)),
  ...(await level(bench, 100, bench.quick ? 200 : 400)),
  ...(await level(bench, 500, 500)),
});
