"use client";

import { ChevronRight } from "lucide-react";
import { Collapsible } from "radix-ui";
import type { TextBlock } from "../protocol/transcript";
import { Elapsed } from "./elapsed";
import { formatDuration } from "./format";
import { Markdown } from "./markdown";

/** What the model thought: one quiet line, open on demand. */
export function ReasoningBlock({ block }: { block: TextBlock }) {
  const took = block.endedAt ? Date.parse(block.endedAt) - Date.parse(block.at) : undefined;
  return (
    <Collapsible.Root>
      <Collapsible.Trigger className="group -mx-1 inline-flex items-center gap-1.5 rounded px-1 text-faint text-sm hover:text-ink">
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 transition-transform group-data-[state=open]:rotate-90"
        />
        {block.done ? "Thought" : "Thinking"}
        {took === undefined ? null : <span>for {formatDuration(took)}</span>}
        {block.done ? null : <Elapsed since={block.at} />}
      </Collapsible.Trigger>
      <Collapsible.Content className="mt-1.5 border-line border-l-2 pl-3 text-soft text-sm">
        <Markdown text={block.text} />
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
