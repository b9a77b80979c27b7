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
        "group relative min-w-0 rounded-lg border border-line bg-sunken font-mono text-xs leading-5",
        className,
      )}
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
        tabIndex={0}
        className={cn(
          "overflow-x-auto py-2.5 pr-11 pl-3 text-left text-ink",
          whole && "whitespace-pre-wrap break-all",
        )}
      >
        {command}
      </pre>
      <CopyButton
        text={command}
        label="Copy command"
        className="absolute top-1 right-1 bg-sunken"
      />
    </div>
  );
}
