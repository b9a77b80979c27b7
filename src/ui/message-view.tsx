import { memo, type ReactNode } from "react";
import { cn } from "./cn";

interface MessageViewProps {
  text: string;
  /** Who sent it, when that is not the reader. */
  from?: string | undefined;
  index?: number;
  /** What stands below: not sent yet, or why it failed. */
  note?: ReactNode;
  faded?: boolean;
  marked?: boolean;
}

/** What a person wrote, as they wrote it. */
export const MessageView = memo(({ text, from, index, note, faded, marked }: MessageViewProps) => (
  <article
    aria-label={from ? `Message from ${from}` : "Your message"}
    id={index === undefined ? undefined : `event-${index}`}
    className="grid justify-items-end gap-1 scroll-mt-24"
  >
    <div
      className={cn(
        "max-w-[85%] whitespace-pre-wrap rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 [overflow-wrap:anywhere]",
        faded && "text-soft",
        marked && "ring-2 ring-accent",
      )}
    >
      {text}
    </div>
    {from ? <span className="max-w-[85%] truncate text-2xs text-faint">{from}</span> : null}
    {note ? <div className="text-faint text-xs">{note}</div> : null}
  </article>
));
MessageView.displayName = "MessageView";
