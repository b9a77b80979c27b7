"use client";

import { formatDuration } from "./format";
import { useNow } from "./use-now";

/** Time since a moment, counting. The server's clock may be ahead: it never shows less than 0.1 s. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(100);
  return (
    <span className="text-faint tabular-nums">
      {formatDuration(Math.max(100, now - Date.parse(since)))}
    </span>
  );
}
