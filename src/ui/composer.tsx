"use client";

import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "./button";
import { Kbd } from "./kbd";
import { SHORTCUTS, useShortcut } from "./shortcuts";

interface ComposerProps {
  /** A turn runs: a message sent now takes its place. */
  running: boolean;
  /** Why nothing may be sent: the text says which permission is missing, or that it ended. */
  blocked?: string | undefined;
  onSend(text: string): void;
  onStop(): void;
}

/** Where people write. It never waits: what is sent while a turn runs takes over from it. */
export function Composer({ running, blocked, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  useShortcut("write", () => area.current?.focus());
  useShortcut("stop", onStop, running);
  const send = () => {
    if (text.trim() === "" || blocked) return;
    onSend(text);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="rounded-xl border border-line-strong bg-surface focus-within:border-accent"
    >
      <label htmlFor="composer" className="sr-only">
        Message
      </label>
      <textarea
        id="composer"
        ref={area}
        rows={1}
        value={text}
        disabled={blocked !== undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={blocked ?? (running ? "Send now to take over from this turn…" : "Message…")}
        className="field-sizing-content block max-h-60 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none placeholder:text-faint"
      />
      <div className="flex items-center justify-between gap-2 px-2 pb-2">
        <p className="hidden truncate pl-1.5 text-faint text-xs sm:block">
          {running ? "Sending interrupts the running turn" : "Shift Enter for a new line"}
        </p>
        <div className="ml-auto flex items-center gap-1.5">
          {running ? (
            <Button size="sm" onClick={onStop}>
              <Square className="fill-current" />
              Stop
              <span className="hidden sm:inline">
                <Kbd keys={SHORTCUTS.stop.keys} />
              </span>
            </Button>
          ) : null}
          <Button
            type="submit"
            look="primary"
            size="sm"
            aria-label="Send"
            disabled={text.trim() === "" || blocked !== undefined}
            className="w-8 px-0"
          >
            <ArrowUp />
          </Button>
        </div>
      </div>
    </form>
  );
}
