"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { SessionEvent } from "../protocol/event";
import { cn } from "./cn";
import { JsonView } from "./json-view";

interface RawEventsProps {
  events: readonly SessionEvent[];
  /** Index of the event that the address points at. */
  marked?: number | undefined;
  onMark(index: number): void;
}

const ROW_PX = 32;

/** The log itself, row by row; only the rows in sight exist in the page. */
export function RawEvents({ events, marked, onMark }: RawEventsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(
    new Set(marked === undefined ? [] : [marked]),
  );
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const target = marked === undefined ? -1 : events.findIndex(({ index }) => index === marked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target moves the list
  useEffect(() => {
    if (target >= 0) rows.scrollToIndex(target, { align: "center" });
  }, [target]);
  const toggle = (index: number) => {
    onMark(index);
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(index)) after.add(index);
      return after;
    });
  };
  const start = Date.parse(events[0]?.at ?? "");
  return (
    <section
      ref={box}
      aria-label="Events"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
      tabIndex={0}
      className="h-[65vh] overflow-y-auto rounded-lg border border-line bg-surface"
    >
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const event = events[row.index];
          if (!event) return null;
          return (
            <div
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              className="absolute inset-x-0 top-0 border-line border-b"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <EventRow
                event={event}
                offsetMs={Date.parse(event.at) - start}
                open={open.has(event.index)}
                marked={event.index === marked}
                onToggle={() => toggle(event.index)}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

interface EventRowProps {
  event: SessionEvent;
  offsetMs: number;
  open: boolean;
  marked: boolean;
  onToggle(): void;
}

const EventRow = ({ event, offsetMs, open, marked, onToggle }: EventRowProps) => (
  <>
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className={cn(
        "flex h-8 w-full items-center gap-3 px-3 text-left font-mono text-xs hover:bg-hover",
        marked && "bg-accent-soft",
      )}
    >
      <ChevronRight
        aria-hidden="true"
        className={cn("size-3 shrink-0 text-faint transition-transform", open && "rotate-90")}
      />
      <span className="w-8 shrink-0 text-right text-faint tabular-nums">{event.index}</span>
      <span className="hidden w-20 shrink-0 text-right text-faint tabular-nums sm:inline">
        +{(offsetMs / 1000).toFixed(3)}
      </span>
      <span className="shrink-0 text-ink">{event.type}</span>
      <span className="min-w-0 truncate text-faint">{JSON.stringify(event.data)}</span>
    </button>
    {open ? (
      <div className="p-2">
        <JsonView value={event} label={`event ${event.index}`} />
      </div>
    ) : null}
  </>
);
