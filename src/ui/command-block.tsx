import { cn } from "./cn";
import { CopyButton } from "./copy-button";

interface CommandBlockProps {
  command: string;
  /** Breaks long lines instead of scrolling: for what people must see whole. */
  whole?: boolean;
  className?: string;
}

/** A command that can be copied as it stands. */
export function CommandBlock({ command, whole, className }: CommandBlockProps) {
  return (
    <div
      className={cn(
        "group flex min-w-0 items-start rounded-lg border border-line bg-sunken font-mono text-xs leading-5",
        className,
      )}
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
        tabIndex={0}
        className={cn(
          "min-w-0 flex-1 overflow-x-auto rounded-lg px-3 py-2.5 text-left text-ink",
          whole && "whitespace-pre-wrap break-all",
        )}
      >
        {command}
      </pre>
      <CopyButton text={command} label="Copy command" className="m-1 shrink-0" />
    </div>
  );
}
