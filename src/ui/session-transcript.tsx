"use client";

import { useRouter, useSearchParams } from "next/navigation";
import { Tabs } from "radix-ui";
import { useEffect, useRef } from "react";
import type { Transcript } from "../protocol/transcript";
import { type ApprovalPlace, ApprovalPlaceProvider } from "./approval-place";
import { LiveBadge } from "./live-badge";
import { Notice } from "./notice";
import { RawEvents } from "./raw-events";
import { useSessionStream } from "./session-stream";
import { SessionTotals } from "./session-totals";
import { shownStatus } from "./shown-status";
import { StatusBadge } from "./status-badge";
import { TranscriptView } from "./transcript-view";

interface SessionTranscriptProps {
  /** Address of the session in an API that this person may read it from. */
  source: string;
  /** Where its calls can be decided. */
  approvals: ApprovalPlace;
}

/** A session to read: the conversation, or the events that it is made of. */
export function SessionTranscript({ source, approvals }: SessionTranscriptProps) {
  const router = useRouter();
  const search = useSearchParams();
  const view = useSessionStream(source);
  const { transcript, stream } = view;
  const mark = search.get("event");
  const event = mark === null ? undefined : Number(mark);
  const shown = search.get("view") === "events" ? "events" : "conversation";
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    router.replace(`?${next}`, { scroll: false });
  };
  const marked = event === undefined ? undefined : blockOf(transcript, event);
  useScrollTo(shown === "conversation" ? marked : undefined);
  return (
    <Tabs.Root value={shown} onValueChange={(value) => set("view", value)} className="grid gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Tabs.List aria-label="View" className="flex rounded-lg border border-line bg-sunken p-0.5">
          <View value="conversation" label="Conversation" />
          <View value="events" label={`Events ${view.events.length || ""}`} />
        </Tabs.List>
        <StatusBadge status={shownStatus(transcript)} />
        <LiveBadge stream={stream} heardAt={view.heardAt} />
        <SessionTotals transcript={transcript} className="ml-auto" />
      </div>
      {stream.phase === "refused" ? (
        <Notice tone="bad" title="This session cannot be shown">
          {stream.message}
        </Notice>
      ) : null}
      <Tabs.Content value="conversation" className="mx-auto grid w-full max-w-3xl gap-5 pt-2">
        <ApprovalPlaceProvider value={approvals}>
          <TranscriptView transcript={transcript} marked={marked} />
        </ApprovalPlaceProvider>
      </Tabs.Content>
      <Tabs.Content value="events">
        <RawEvents
          events={view.events}
          marked={event}
          onMark={(index) => set("event", String(index))}
        />
      </Tabs.Content>
    </Tabs.Root>
  );
}

const View = ({ value, label }: { value: string; label: string }) => (
  <Tabs.Trigger
    value={value}
    className="rounded-md px-2.5 py-0.5 text-soft text-sm data-[state=active]:bg-surface data-[state=active]:font-medium data-[state=active]:text-ink data-[state=active]:shadow-xs"
  >
    {label}
  </Tabs.Trigger>
);

/** Index of the piece that shows an event: the last one that began at or before it. */
function blockOf(transcript: Transcript, event: number): number | undefined {
  const begins = transcript.items.flatMap((item) =>
    item.kind === "turn" ? [item.index, ...item.blocks.map(({ index }) => index)] : [item.index],
  );
  return begins.filter((index) => index <= event).at(-1);
}

/** Brings the marked piece into sight once, as soon as it is there. */
function useScrollTo(marked: number | undefined): void {
  const done = useRef<number>(undefined);
  useEffect(() => {
    const target = marked === undefined ? null : document.getElementById(`event-${marked}`);
    if (!target || done.current === marked) return;
    done.current = marked;
    target.scrollIntoView({ block: "center" });
  }, [marked]);
}
