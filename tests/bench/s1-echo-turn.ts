import type { Scenario } from "./bench";
import { benchTurn, type Place, type TurnTimes } from "./bench-turn";
import { percentile } from "./statistics";
import { stubDirect } from "./stub-direct";

const figures = (name: string, turns: readonly TurnTimes[]) => {
  const first = turns.map((turn) => turn.first);
  return {
    [`${name}.accept.p50.ms`]: percentile(
      turns.map((turn) => turn.accept),
      50,
    ),
    [`${name}.first.p50.ms`]: percentile(first, 50),
    [`${name}.first.p99.ms`]: percentile(first, 99),
    [`${name}.done.p50.ms`]: percentile(
      turns.map((turn) => turn.done),
      50,
    ),
  };
};

/** S1: one echo turn after the other, first each in a new session, then all in one. */
export const echoTurn: Scenario = async (bench) => {
  const { http, quick } = bench;
  const count = quick ? 40 : 200;
  for (let i = 0; i < 20; i += 1) await benchTurn(http);
  const fresh: TurnTimes[] = [];
  for (let i = 0; i < count; i += 1) fresh.push(await benchTurn(http));
  const same: TurnTimes[] = [];
  let after: Place = await benchTurn(http);
  for (let i = 0; i < count; i += 1) {
    const turn = await benchTurn(http, { after });
    same.push(turn);
    after = turn;
  }
  const direct = await stubDirect(bench.modelUrl, quick ? 20 : 100);
  return { ...figures("new", fresh), ...figures("same", same), "stub.done.p50.ms": direct };
};
