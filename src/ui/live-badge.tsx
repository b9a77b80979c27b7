"use client";

import { cn } from "./cn";
import { formatDuration } from "./format";
import type { SessionView } from "./session-stream";
import { useNow } from "./use-now";

const LOOKS = {
  idle: { text: "", dot: "" },
  connecting: { text: "Connecting", dot: "bg-faint animate-pulse" },
  live: { text: "Live", dot: "bg-ok" },
  reconnecting: { text: "Reconnecting", dot: "bg-warn animate-pulse" },
  ended: { text: "Ended", dot: "bg-faint" },
  refused: { text: "Not available", dot: "bg-bad" },
} as const;

interface LiveBadgeProps {
  stream: SessionView["stream"];
  heardAt: number;
}

/** Whether what is shown is the present, and since when it is not. */
export function LiveBadge({ stream, heardAt }: LiveBadgeProps) {
  const now = useNow(1000);
  const look = LOOKS[stream.phase];
  if (look.text === "") return null;
  const stale = stream.phase === "reconnecting" && heardAt > 0;
  return (
    <span
      role="status"
      className="inline-flex items-center gap-1.5 whitespace-nowrap text-faint text-xs"
    >
      <span aria-hidden="true" className={cn("size-1.5 rounded-full", look.dot)} />
      {look.text}
      {stale ? ` · stale for ${formatDuration(Math.max(1000, now - heardAt))}` : null}
    </span>
  );
}
