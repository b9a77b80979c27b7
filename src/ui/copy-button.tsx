"use client";

import { Check, Copy } from "lucide-react";
import { cn } from "./cn";
import { useCopied } from "./use-copied";

interface CopyButtonProps {
  text: string;
  /** What is copied, for people who cannot see the button: "Copy command". */
  label: string;
  className?: string;
}

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const { copied, copy } = useCopied();
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={copied ? "Copied" : label}
      title={label}
      className={cn(
        "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink",
        copied && "text-ok",
        className,
      )}
    >
      <Icon className="size-3.5" />
    </button>
  );
}
