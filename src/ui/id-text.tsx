"use client";

import { cn } from "./cn";
import { useCopied } from "./use-copied";

interface IdTextProps {
  id: string;
  /** Shows the end of a long id only; the whole of it is copied. */
  short?: boolean;
  className?: string;
}

/** An id in mono; a click copies it. */
export function IdText({ id, short, className }: IdTextProps) {
  const { copied, copy } = useCopied();
  const [prefix] = id.split("_");
  const shown = short && id.length > 16 ? `${prefix}_…${id.slice(-6)}` : id;
  return (
    <button
      type="button"
      onClick={() => copy(id)}
      title={copied ? "Copied" : `${id}\nClick to copy`}
      className={cn(
        "max-w-full truncate rounded font-mono text-faint text-xs hover:text-ink",
        className,
      )}
    >
      {copied ? "copied" : shown}
    </button>
  );
}
