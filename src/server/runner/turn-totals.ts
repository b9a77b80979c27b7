import type { Usage } from "../../protocol/event";
import { type StoredTurn, usagesOf } from "./read-conversation";

export interface TurnTotals {
  usage: Usage;
  /** Absent when no call had a known price. */
  costUsd?: number;
}

/** What all of a turn used, in earlier attempts as well. */
export function turnTotals(turn: StoredTurn): TurnTotals {
  const usages = usagesOf(turn);
  const sum = (pick: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + pick(usage), 0);
  const usage: Usage = {
    inputTokens: sum((u) => u.inputTokens),
    outputTokens: sum((u) => u.outputTokens),
    cacheReadTokens: sum((u) => u.cacheReadTokens),
    cacheWriteTokens: sum((u) => u.cacheWriteTokens),
  };
  if (usages.every(({ costUsd }) => costUsd === undefined)) return { usage };
  return { usage, costUsd: sum((u) => u.costUsd ?? 0) };
}
