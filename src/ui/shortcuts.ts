"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";

/** Every shortcut of the product: the sheet and the listener read this one table. */
export const SHORTCUTS = {
  palette: { keys: "mod+k", label: "Search and run commands", group: "Anywhere" },
  sheet: { keys: "?", label: "Show the shortcuts of this page", group: "Anywhere" },
  theme: { keys: "t", label: "Switch between light, dark and system", group: "Anywhere" },
  "go-agents": { keys: "g a", label: "Go to agents", group: "Go" },
  "go-inbox": { keys: "g i", label: "Go to what waits for approval", group: "Go" },
  "go-keys": { keys: "g k", label: "Go to API keys", group: "Go" },
  "go-models": { keys: "g m", label: "Go to models", group: "Go" },
  "go-overview": { keys: "g o", label: "Go to the agent's overview", group: "Go" },
  "go-playground": { keys: "g p", label: "Go to the playground", group: "Go" },
  "go-sessions": { keys: "g s", label: "Go to sessions", group: "Go" },
  "go-artifacts": { keys: "g f", label: "Go to artifacts", group: "Go" },
  "go-approvals": { keys: "g v", label: "Go to the agent's approvals", group: "Go" },
  "go-deployments": { keys: "g d", label: "Go to deployments", group: "Go" },
  next: { keys: "j", label: "Next row", group: "Lists" },
  previous: { keys: "k", label: "Previous row", group: "Lists" },
  write: { keys: "/", label: "Write a message", group: "Playground" },
  fresh: { keys: "n", label: "New session", group: "Playground" },
  stop: { keys: "mod+.", label: "Stop the running turn", group: "Playground" },
} as const satisfies Record<string, { keys: string; label: string; group: string }>;

export type ShortcutId = keyof typeof SHORTCUTS;

interface Entry {
  id: ShortcutId;
  run: () => void;
}

let entries: readonly Entry[] = [];
const watchers = new Set<() => void>();

function change(next: readonly Entry[]): void {
  entries = next;
  for (const watcher of watchers) watcher();
}

/** Makes a shortcut work while the calling component is on the page; the latest one wins. */
export function useShortcut(id: ShortcutId, run: () => void, enabled = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!enabled) return;
    const entry: Entry = { id, run: () => latest.current() };
    change([...entries, entry]);
    return () => change(entries.filter((other) => other !== entry));
  }, [id, enabled]);
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};
const current = () => entries;

/** Ids of the shortcuts that work on this page now. */
export function useActiveShortcuts(): readonly ShortcutId[] {
  const active = useSyncExternalStore(watch, current, current);
  return (Object.keys(SHORTCUTS) as ShortcutId[]).filter((id) =>
    active.some((entry) => entry.id === id),
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** How long the first key of a pair is remembered, in milliseconds. */
const PAIR_MS = 900;

const keyOf = (event: KeyboardEvent): string =>
  event.metaKey || event.ctrlKey ? `mod+${event.key.toLowerCase()}` : event.key;

/** Listens for the shortcuts of the page. Mounted once, by the shell. */
export function useShortcutListener(): void {
  useEffect(() => {
    let pending = { key: "", at: 0 };
    const listen = (event: KeyboardEvent) => {
      const key = keyOf(event);
      if (event.altKey || (!key.startsWith("mod+") && isTyping(event.target))) return;
      const pair = event.timeStamp - pending.at < PAIR_MS ? `${pending.key} ${key}` : "";
      const found = entries.findLast(
        ({ id }) => SHORTCUTS[id].keys === pair || SHORTCUTS[id].keys === key,
      );
      pending = { key, at: event.timeStamp };
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}
