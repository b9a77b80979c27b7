import { cn } from "./cn";
import { CopyButton } from "./copy-button";

/** A command that can be copied as it stands. */
export function CommandBlock({ command, className }: { command: string; className?: string }) {
  return (
    <div
      className={cn(
        "group relative min-w-0 rounded-lg border border-line bg-sunken font-mono text-xs leading-5",
        className,
      )}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key */}
      <pre tabIndex={0} className="overflow-x-auto py-2.5 pr-11 pl-3 text-left text-ink">
        {command}
      </pre>
      <CopyButton text={command} label="Copy command" className="absolute top-1.5 right-1.5" />
    </div>
  );
}
