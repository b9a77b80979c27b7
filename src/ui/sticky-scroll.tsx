"use client";

import { ArrowDown } from "lucide-react";
import type { ReactNode } from "react";
import { useStickToBottom } from "use-stick-to-bottom";
import { Button } from "./button";
import { cn } from "./cn";

interface StickyScrollProps {
  label: string;
  /** Looks of the column inside. */
  className?: string;
  children: ReactNode;
}

/** A box that stays at its newest line until the reader scrolls away. */
export function StickyScroll({ label, className, children }: StickyScrollProps) {
  const stick = useStickToBottom({ initial: "instant", resize: "instant" });
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={stick.scrollRef}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
        tabIndex={0}
        className="h-full overflow-y-auto outline-none"
      >
        <div
          ref={stick.contentRef}
          className={cn("mx-auto grid max-w-3xl gap-5 px-4 py-6 sm:px-6", className)}
        >
          {children}
        </div>
      </section>
      {stick.isAtBottom ? null : (
        <Button
          size="sm"
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          onClick={() => void stick.scrollToBottom()}
        >
          <ArrowDown />
          Latest
        </Button>
      )}
    </div>
  );
}
