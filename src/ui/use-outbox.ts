"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { Transcript } from "../protocol/transcript";
import { explain, sendJson } from "./agent-api";

/** A message that the log does not show yet. */
export interface OutboxMessage {
  key: number;
  text: string;
  /** Known once the server took it. */
  messageId?: string;
  error?: string;
}

interface Sent {
  sessionId: string;
  messageId: string;
}

interface OutboxOptions {
  /** Address of the agent's API, `/{org}/{agent}/v1`. */
  api: string;
  sessionId: string | undefined;
  transcript: Transcript;
  onSession(sessionId: string): void;
}

/**
 * Sends messages one after another, in the order they were written: the first one makes the
 * session, the others follow up. A message stays here until the log shows it, or with its error.
 */
export function useOutbox({ api, sessionId, transcript, onSession }: OutboxOptions) {
  const [messages, setMessages] = useState<readonly OutboxMessage[]>([]);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const session = useRef(sessionId);
  const nextKey = useRef(0);
  useEffect(() => {
    // Another session was opened: what waits here belongs to the one before.
    if (session.current !== sessionId) setMessages([]);
    session.current = sessionId;
  }, [sessionId]);

  const change = useCallback(
    (key: number, patch: Partial<OutboxMessage>) =>
      setMessages((all) => all.map((each) => (each.key === key ? { ...each, ...patch } : each))),
    [],
  );
  const deliver = useCallback(
    async (key: number, text: string) => {
      const target = session.current ? `${api}/session/${session.current}` : `${api}/session`;
      try {
        const sent = await sendJson<Sent>("POST", target, { message: text });
        change(key, { messageId: sent.messageId });
        if (session.current === undefined) {
          session.current = sent.sessionId;
          onSession(sent.sessionId);
        }
      } catch (error) {
        change(key, { error: explain(error) });
      }
    },
    [api, change, onSession],
  );
  const send = useCallback(
    (text: string) => {
      const key = nextKey.current++;
      setMessages((all) => [...all, { key, text }]);
      line.current = line.current.then(() => deliver(key, text));
    },
    [deliver],
  );
  const drop = useCallback(
    (key: number) => setMessages((all) => all.filter((each) => each.key !== key)),
    [],
  );
  const known = new Set(transcript.items.map((item) => item.key));
  const waiting = messages.filter(({ messageId }) => !messageId || !known.has(messageId));
  return { messages: waiting, send, drop };
}
