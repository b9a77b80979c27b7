import type { Scenario } from "./bench";
import { startSlowTurn } from "./slow-turn";

/** S13: `kill -9` of the worker in the middle of an answer, until the turn has ended all the same. */
export const killedWorker: Scenario = async ({ http, product }) => {
  const since = performance.now();
  const { turn, streaming } = startSlowTurn(http, 40, 50);
  await streaming;
  const { worker } = await product.pids();
  process.kill(worker, "SIGKILL");
  const killed = performance.now() - since;
  const { done, attempt, attemptAt } = await turn;
  if (attempt < 2) throw new Error(`the turn ended in attempt ${attempt}: it was not interrupted`);
  return { "taken.over.ms": attemptAt - killed, "settled.ms": done - killed };
};
