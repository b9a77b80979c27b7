"use client";

import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { groupBy } from "./group-by";
import { Kbd } from "./kbd";
import { Modal } from "./modal";
import { SHORTCUTS, type ShortcutId } from "./shortcuts";

export interface PaletteEntry {
  group: string;
  label: string;
  href: string;
  /** Words that find it beside its label, such as its id. */
  keywords?: readonly string[];
  shortcut?: ShortcutId;
}

interface CommandPaletteProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  entries: readonly PaletteEntry[];
}

/** `⌘K`: every place of the org by name. */
export function CommandPalette({ open, onOpenChange, entries }: CommandPaletteProps) {
  const router = useRouter();
  const groups = groupBy(entries, (entry) => entry.group);
  const go = (href: string) => {
    onOpenChange(false);
    router.push(href);
  };
  return (
    <Modal open={open} onOpenChange={onOpenChange} title="Search and commands" bare>
      <Command label="Search and commands" loop>
        <Command.Input
          placeholder="Go to an agent or a page…"
          className="h-12 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-faint"
        />
        <Command.List className="max-h-80 overflow-auto p-1.5">
          <Command.Empty className="px-3 py-8 text-center text-faint text-sm">
            Nothing has that name.
          </Command.Empty>
          {groups.map(([group, items]) => (
            <Command.Group
              key={group}
              heading={group}
              className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-faint [&_[cmdk-group-heading]]:text-xs"
            >
              {items.map((entry) => (
                <Command.Item
                  key={entry.href}
                  value={`${entry.label} ${entry.href}`}
                  keywords={[...(entry.keywords ?? [])]}
                  onSelect={() => go(entry.href)}
                  className="flex cursor-pointer items-center justify-between gap-3 rounded-md px-2.5 py-2 text-sm data-[selected=true]:bg-hover"
                >
                  <span className="truncate">{entry.label}</span>
                  {entry.shortcut ? <Kbd keys={SHORTCUTS[entry.shortcut].keys} /> : null}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}
