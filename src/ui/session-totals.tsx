import type { Transcript } from "../protocol/transcript";
import { cn } from "./cn";
import { formatCost, formatCount } from "./format";

interface SessionTotalsProps {
  transcript: Transcript;
  className?: string;
}

const plural = (count: number, word: string): string =>
  `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;

/** What a session took so far. */
export function SessionTotals({ transcript, className }: SessionTotalsProps) {
  const { turns, calls, usage, costUsd } = transcript;
  if (turns === 0) return null;
  const facts = [
    plural(turns, "turn"),
    plural(calls, "call"),
    usage.inputTokens > 0 ? `${formatCount(usage.inputTokens)} in` : "",
    usage.outputTokens > 0 ? `${formatCount(usage.outputTokens)} out` : "",
    costUsd === undefined ? "" : formatCost(costUsd),
  ].filter(Boolean);
  const cached = `${usage.cacheReadTokens} of the input tokens came from the cache`;
  return (
    <p
      title={cached}
      className={cn("flex flex-wrap gap-x-3 text-faint text-xs tabular-nums", className)}
    >
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}
