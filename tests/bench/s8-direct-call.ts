import type { Bench, Scenario } from "./bench";
import { percentile } from "./statistics";

const LANES = 16;

async function call({ http }: Bench, n: number): Promise<number> {
  const since = performance.now();
  const outcome = await http.post<{ isError: boolean; result: { input: { n: number } } }>(
    "/v1/tools/echo",
    { input: { n } },
  );
  if (outcome.isError || outcome.result.input.n !== n) throw new Error(JSON.stringify(outcome));
  return performance.now() - since;
}

/** S8: direct tool calls in a warm sandbox, one after the other and sixteen at a time. */
export const directCall: Scenario = async (bench) => {
  const count = bench.quick ? 100 : 500;
  for (let n = 0; n < 20; n += 1) await call(bench, n);
  const alone: number[] = [];
  for (let n = 0; n < count; n += 1) alone.push(await call(bench, n));
  let left = count * 2;
  const since = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call(bench, left);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = (performance.now() - since) / 1000;
  return {
    "warm.p50.ms": percentile(alone, 50),
    "warm.p99.ms": percentile(alone, 99),
    "calls.per.s": (count * 2) / seconds,
  };
};
