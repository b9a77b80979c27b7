import { scriptText } from "../support/scripted-model/script";
import type { Scenario } from "./bench";
import { benchTurn } from "./bench-turn";
import { secondTenant } from "./second-tenant";
import { percentile } from "./statistics";

const QUEUED = 500;
const ASKED = 20;

/**
 * S12: one org queues more turns than the worker has slots; another org asks for one at a time.
 * Its wait is from sending to `turn.started`.
 */
export const noisyNeighbour: Scenario = async (bench, run) => {
  const quiet = await secondTenant(bench, `quiet-${run}`);
  try {
    const message = scriptText({ text: "word ".repeat(40), delayMs: 100 });
    const noise = await Promise.all(
      Array.from({ length: QUEUED }, () =>
        bench.http.post<{ sessionId: string }>("/v1/session", { message }),
      ),
    );
    const waits: number[] = [];
    for (let n = 0; n < (bench.quick ? 10 : ASKED); n += 1) {
      const { attemptAt } = await benchTurn(quiet);
      waits.push(attemptAt);
    }
    await Promise.all(
      noise.map(({ sessionId }) => bench.http.post(`/v1/session/${sessionId}/stop`, {})),
    );
    return { "wait.p50.ms": percentile(waits, 50), "wait.p99.ms": percentile(waits, 99) };
  } finally {
    await quiet.close();
  }
};
