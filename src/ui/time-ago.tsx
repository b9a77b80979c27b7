"use client";

import { formatAgo, formatUtc } from "./format";
import { useNow } from "./use-now";

const local = (at: Date): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(at);

/** A moment relative to now; hovering shows it in local time and UTC. */
export function TimeAgo({ at }: { at: string }) {
  const now = useNow(15_000);
  const date = new Date(at);
  // The server's clock and zone differ from the browser's: its text stands until the next tick.
  return (
    <time dateTime={at} title={`${local(date)}\n${formatUtc(date)}`} suppressHydrationWarning>
      {formatAgo(date, now)}
    </time>
  );
}
