"use client";

import { type ReactNode, useRef } from "react";
import { useCopied } from "./use-copied";

/** A block of code in a message, with a button that copies it. */
export function CodeFence({ children }: { children: ReactNode }) {
  const code = useRef<HTMLPreElement>(null);
  const { copied, copy } = useCopied();
  return (
    <div className="group relative">
      <pre
        ref={code}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line bg-sunken px-3 py-2.5 font-mono text-xs leading-5"
      >
        {children}
      </pre>
      <button
        type="button"
        onClick={() => copy(code.current?.textContent ?? "")}
        className="absolute top-1.5 right-1.5 rounded border border-line bg-surface px-1.5 text-2xs text-faint opacity-0 transition-opacity hover:text-ink focus-visible:opacity-100 group-hover:opacity-100"
      >
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
