"use client";

import { Tabs } from "radix-ui";
import { CommandBlock } from "./command-block";

export interface Snippet {
  name: string;
  command: string;
}

/** The same action for each tool that can do it, ready to copy. */
export function Snippets({ snippets, label }: { snippets: readonly Snippet[]; label: string }) {
  const first = snippets[0];
  if (!first) return null;
  return (
    <Tabs.Root defaultValue={first.name} className="min-w-0">
      <Tabs.List aria-label={label} className="mb-1.5 flex gap-1">
        {snippets.map(({ name }) => (
          <Tabs.Trigger
            key={name}
            value={name}
            className="rounded px-2 py-0.5 text-faint text-xs hover:text-ink data-[state=active]:bg-hover data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {snippets.map(({ name, command }) => (
        <Tabs.Content key={name} value={name}>
          <CommandBlock command={command} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}
