"use client";

import { Terminal } from "lucide-react";
import { Popover } from "radix-ui";
import { Button } from "./button";
import { CommandBlock } from "./command-block";
import { followCommand, sendCommands } from "./commands";
import { Snippets } from "./snippets";

interface CopyAsProps {
  base: string;
  origin: string;
  sessionId: string | undefined;
  /** The message that the command sends; the last one of the page. */
  message: string | undefined;
}

/** The same conversation from a terminal. */
export function CopyAs({ base, origin, sessionId, message = "Hello" }: CopyAsProps) {
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button look="ghost" size="sm">
          <Terminal />
          <span className="hidden sm:inline">Copy as</span>
          <span className="sr-only sm:hidden">Copy as command</span>
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          aria-label="Copy as command"
          className="z-50 grid w-[min(32rem,calc(100vw-1.5rem))] animate-enter gap-4 rounded-xl border border-line bg-raised p-4 shadow-pop"
        >
          <section className="grid gap-1.5">
            <h2 className="font-medium text-sm">Send this message again</h2>
            <Snippets label="Send with" snippets={sendCommands({ origin, base }, message)} />
          </section>
          {sessionId ? (
            <section className="grid gap-1.5">
              <h2 className="font-medium text-sm">Follow this session</h2>
              <CommandBlock command={followCommand({ origin, base }, sessionId)} />
            </section>
          ) : null}
          <p className="text-faint text-xs">
            <code className="font-mono">BERTH_TOKEN</code> is an API key of this organisation.
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
