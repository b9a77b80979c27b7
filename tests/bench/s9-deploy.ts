import type { Scenario } from "./bench";
import { startSlowTurn } from "./slow-turn";

/** S9: from upload to the first good call of the new version, while a turn runs on the old one. */
export const deploy: Scenario = async (bench, run) => {
  const { turn: running, streaming } = startSlowTurn(bench.http, 60, 100);
  await streaming;
  const since = performance.now();
  const label = `run-${run}-${Date.now()}`;
  const version = await bench.deploy(label);
  const deployed = performance.now();
  const outcome = await bench.http.post<{ result: { label: string } }>("/v1/tools/echo", {
    input: {},
  });
  const called = performance.now();
  if (outcome.result.label !== label) throw new Error(`${outcome.result.label} answered`);
  const turn = await running;
  if (turn.version !== version - 1) throw new Error(`the turn ended on version ${turn.version}`);
  return {
    "deployed.ms": deployed - since,
    "first.call.ms": called - since,
    "cold.call.ms": called - deployed,
  };
};
