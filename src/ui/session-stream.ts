"use client";

import { useEffect, useReducer } from "react";
import type { SessionEvent } from "../protocol/event";
import { readTranscript } from "../protocol/read-transcript";
import { EMPTY_TRANSCRIPT, type Transcript } from "../protocol/transcript";
import { readHeaders } from "./agent-api";
import { followStream, type StreamPhase } from "./follow-stream";

export interface SessionView {
  transcript: Transcript;
  events: readonly SessionEvent[];
  stream: StreamPhase | { phase: "idle" };
  /** When the server was last heard, in milliseconds since 1970. */
  heardAt: number;
}

const NOTHING: SessionView = {
  transcript: EMPTY_TRANSCRIPT,
  events: [],
  stream: { phase: "idle" },
  heardAt: 0,
};

type Action =
  | { kind: "reset" }
  | { kind: "events"; events: readonly SessionEvent[] }
  | { kind: "phase"; stream: StreamPhase };

function reduce(view: SessionView, action: Action): SessionView {
  if (action.kind === "reset") return NOTHING;
  if (action.kind === "phase") {
    const heardAt = action.stream.phase === "live" ? Date.now() : view.heardAt;
    return { ...view, stream: action.stream, heardAt };
  }
  return {
    ...view,
    transcript: readTranscript(action.events, view.transcript),
    events: [...view.events, ...action.events],
    heardAt: Date.now(),
  };
}

/** Events of one paint are shown together: deltas come faster than a screen can change. */
const PAINT_MS = 24;

/**
 * A session's log, followed from its beginning and folded for showing; it reconnects by itself.
 * `base` is the address of the session (`…/v1/session/<id>`); without it there is nothing to read.
 */
export function useSessionStream(base: string | undefined): SessionView {
  const [view, dispatch] = useReducer(reduce, NOTHING);
  useEffect(() => {
    if (base === undefined) return;
    const stop = new AbortController();
    let buffer: SessionEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      const events = buffer;
      buffer = [];
      if (events.length > 0) dispatch({ kind: "events", events });
    };
    void followStream({
      url: (startIndex) => `${base}/stream?startIndex=${startIndex}`,
      startIndex: 0,
      headers: readHeaders(),
      signal: stop.signal,
      onLine: (line) => {
        buffer.push(line as SessionEvent);
        timer ??= setTimeout(flush, PAINT_MS);
      },
      onPhase: (stream) => {
        flush();
        dispatch({ kind: "phase", stream });
      },
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
      dispatch({ kind: "reset" });
    };
  }, [base]);
  return view;
}
