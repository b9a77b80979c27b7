import type { TurnItem } from "../protocol/transcript";
import { formatCost, formatCount, formatDuration } from "./format";

const ENDS = { finished: "", failed: "Failed", cancelled: "Stopped", queued: "", running: "" };

/** The facts of a turn that ended, in one quiet line. */
export function TurnFooter({ turn }: { turn: TurnItem }) {
  if (!turn.endedAt) return null;
  const usage = turn.usage;
  const parts = [
    ENDS[turn.status],
    turn.model,
    turn.version === undefined ? "" : `v${turn.version}`,
    turn.durationMs === undefined ? "" : formatDuration(turn.durationMs),
    usage ? `${formatCount(usage.inputTokens)} in · ${formatCount(usage.outputTokens)} out` : "",
    turn.costUsd === undefined ? "" : formatCost(turn.costUsd),
  ].filter(Boolean);
  const cached = usage?.cacheReadTokens ? `${usage.cacheReadTokens} input tokens from cache` : "";
  return (
    <p title={cached} className="text-faint text-xs tabular-nums">
      {parts.join(" · ")}
    </p>
  );
}
