import type { Usage } from "../../protocol/event";
import type { StoredStep } from "./read-conversation";

export interface TurnTotals {
  usage: Usage;
  /** Absent when no call had a known price. */
  costUsd?: number;
}

/** What all steps of a turn used, those of earlier attempts included. */
export function turnTotals(steps: readonly StoredStep[]): TurnTotals {
  const sum = (pick: (usage: StoredStep["usage"]) => number) =>
    steps.reduce((total, step) => total + pick(step.usage), 0);
  const usage: Usage = {
    inputTokens: sum((u) => u.inputTokens),
    outputTokens: sum((u) => u.outputTokens),
    cacheReadTokens: sum((u) => u.cacheReadTokens),
    cacheWriteTokens: sum((u) => u.cacheWriteTokens),
  };
  if (steps.every((step) => step.usage.costUsd === undefined)) return { usage };
  return { usage, costUsd: sum((u) => u.costUsd ?? 0) };
}
