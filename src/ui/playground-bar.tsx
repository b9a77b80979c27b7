"use client";

import { Plus } from "lucide-react";
import Link from "next/link";
import { Button } from "./button";
import { CopyAs } from "./copy-as";
import { IdText } from "./id-text";
import { LiveBadge } from "./live-badge";
import { ModelLabel } from "./model-label";
import type { SessionView } from "./session-stream";
import { SessionTotals } from "./session-totals";

interface PlaygroundBarProps {
  base: string;
  origin: string;
  model: string;
  sessionId: string | undefined;
  view: SessionView;
  onNew(): void;
}

/** The line above the conversation: which session, how fresh, and what to do with it. */
export function PlaygroundBar(props: PlaygroundBarProps) {
  const { base, origin, model, sessionId, view, onNew } = props;
  const message = view.transcript.items.findLast((item) => item.kind === "message")?.text;
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 border-line border-b px-4 py-1.5 sm:px-8">
      {sessionId ? <IdText id={sessionId} short /> : null}
      <ModelLabel model={model} />
      <LiveBadge stream={view.stream} heardAt={view.heardAt} />
      <SessionTotals transcript={view.transcript} className="hidden xl:flex" />
      <div className="ml-auto flex items-center">
        {sessionId ? (
          <Button asChild look="ghost" size="sm">
            <Link href={`${base}/sessions/${sessionId}`}>Transcript</Link>
          </Button>
        ) : null}
        <CopyAs {...{ base, origin, sessionId, message }} />
        <Button look="ghost" size="sm" onClick={onNew} disabled={!sessionId}>
          <Plus />
          New
        </Button>
      </div>
    </div>
  );
}
