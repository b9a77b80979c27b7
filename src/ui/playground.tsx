"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useMemo } from "react";
import { toast } from "sonner";
import { explain, sendJson } from "./agent-api";
import { ApprovalPlaceProvider } from "./approval-place";
import { Composer } from "./composer";
import { Notice } from "./notice";
import { Outbox } from "./outbox";
import { PlaygroundBar } from "./playground-bar";
import { PlaygroundIntro } from "./playground-intro";
import { type SessionView, useSessionStream } from "./session-stream";
import { useShortcut } from "./shortcuts";
import { StickyScroll } from "./sticky-scroll";
import { TranscriptView } from "./transcript-view";
import { useOutbox } from "./use-outbox";

interface PlaygroundProps {
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
  /** Address of the installation, for commands. */
  origin: string;
  agent: { name: string; description?: string | undefined };
  model: string;
  tools: readonly { name: string; description: string }[];
  /** The reader's principal, to tell their messages from others'. */
  me: string;
  /** Why this person may not send. */
  blocked?: string | undefined;
  /** Why this person may not decide about calls of their own sessions. */
  undecidable?: string | undefined;
}

/** Talk to the agent. The session is in the address: reloads and other tabs show the same. */
export function Playground(props: PlaygroundProps) {
  const { base, origin, agent, model, tools, me, blocked, undecidable } = props;
  const sessionId = useSearchParams().get("session") ?? undefined;
  const api = `${base}/v1`;
  const view = useSessionStream(sessionId && `${api}/session/${sessionId}`);
  const { transcript, stream } = view;
  const outbox = useOutbox({ api, sessionId, transcript, onSession: showSession });
  const running = transcript.status === "running" || transcript.status === "queued";
  const stop = useCallback(() => {
    const failed = (error: unknown) => toast.error(explain(error));
    if (sessionId) sendJson("POST", `${api}/session/${sessionId}/stop`, {}).catch(failed);
  }, [api, sessionId]);
  const begin = () => showSession(undefined);
  useShortcut("fresh", begin);
  const place = useMemo(
    () => ({ base, origin, me, blocked: undecidable }),
    [base, origin, me, undecidable],
  );
  const empty = transcript.items.length === 0 && outbox.messages.length === 0;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <h1 className="sr-only">Playground of {agent.name}</h1>
      <PlaygroundBar {...{ base, origin, model, sessionId, view }} onNew={begin} />
      <StickyScroll label="Conversation">
        {empty && !sessionId ? (
          <PlaygroundIntro agent={agent} tools={tools} onTry={outbox.send} />
        ) : null}
        {stream.phase === "refused" ? (
          <Notice tone="bad" title="This session cannot be shown">
            {stream.message}
          </Notice>
        ) : null}
        <ApprovalPlaceProvider value={place}>
          <TranscriptView transcript={transcript} me={me} />
        </ApprovalPlaceProvider>
        <Outbox messages={outbox.messages} onRetry={outbox.send} onDrop={outbox.drop} />
      </StickyScroll>
      <div className="mx-auto w-full max-w-3xl px-4 pb-4 sm:px-6">
        <Composer
          running={running}
          blocked={blocked ?? closed(view)}
          onStop={stop}
          onSend={outbox.send}
        />
      </div>
    </div>
  );
}

/** Why a session takes no message. */
function closed({ stream, transcript: { status } }: SessionView): string | undefined {
  if (stream.phase === "refused") return "This session takes no message from you";
  return status === "completed" || status === "failed" ? "This session has ended" : undefined;
}

/** Puts the session into the address without loading a page. */
function showSession(sessionId: string | undefined): void {
  const search = sessionId ? `?session=${sessionId}` : "";
  window.history.pushState(null, "", `${window.location.pathname}${search}`);
}
