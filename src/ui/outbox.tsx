"use client";

import { MessageView } from "./message-view";
import type { OutboxMessage } from "./use-outbox";

interface OutboxProps {
  messages: readonly OutboxMessage[];
  onRetry(text: string): void;
  onDrop(key: number): void;
}

/** Messages on their way, and those that did not arrive. */
export const Outbox = ({ messages, onRetry, onDrop }: OutboxProps) =>
  messages.map(({ key, text, error }) => (
    <MessageView
      key={key}
      text={text}
      faded
      note={
        error ? (
          <span role="alert" className="flex flex-wrap justify-end gap-x-2">
            <span className="text-bad">{error}</span>
            <button
              type="button"
              className="text-ink underline underline-offset-2"
              onClick={() => {
                onDrop(key);
                onRetry(text);
              }}
            >
              Send again
            </button>
            <button type="button" className="underline" onClick={() => onDrop(key)}>
              Discard
            </button>
          </span>
        ) : (
          "Sending…"
        )
      }
    />
  ));
