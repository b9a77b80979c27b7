import { scriptText } from "../support/scripted-model/script";
import type { BenchHttp } from "./bench-http";
import { benchTurn, type TurnTimes } from "./bench-turn";

/**
 * Starts a turn whose answer comes in `pieces` words, `everyMs` apart. `streaming` resolves with
 * its first word.
 */
export function startSlowTurn(http: BenchHttp, pieces: number, everyMs: number) {
  const message = scriptText({ text: "word ".repeat(pieces), delayMs: everyMs });
  let turn: Promise<TurnTimes> = Promise.reject(new Error("not started"));
  turn.catch(() => undefined);
  const streaming = new Promise<void>((resolve, reject) => {
    const onEvent = ({ type }: { type: string }) => type === "message.appended" && resolve();
    turn = benchTurn(http, { message, onEvent });
    turn.catch(reject);
  });
  return { turn, streaming };
}
