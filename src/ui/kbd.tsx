"use client";

import { useSyncExternalStore } from "react";

const never = () => () => undefined;
const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of a shortcut as caps: `mod+k` is ⌘K on a Mac and Ctrl K elsewhere. */
export function Kbd({ keys }: { keys: string }) {
  const mac = useSyncExternalStore(never, isMac, () => false);
  const names: Record<string, string> = { mod: mac ? "⌘" : "Ctrl" };
  const caps = keys.split(/[ +]/).map((key) => names[key] ?? key.toUpperCase());
  return (
    <span className="inline-flex gap-0.5">
      {caps.map((cap, at) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the caps of a shortcut never change order
          key={at}
          className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-surface px-1 font-sans text-2xs text-faint"
        >
          {cap}
        </kbd>
      ))}
    </span>
  );
}
