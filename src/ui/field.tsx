import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn";

export const INPUT =
  "h-9 w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-faint focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** A labelled input with its hint and its error. */
export function Field({ label, hint, error, id, name, className, ...props }: FieldProps) {
  const inputId = id ?? `field-${name}`;
  const noteId = `${inputId}-note`;
  const note = error ?? hint;
  return (
    <div className={cn("grid gap-1.5", className)}>
      <label htmlFor={inputId} className="font-medium text-sm">
        {label}
      </label>
      <input
        id={inputId}
        name={name}
        className={INPUT}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? noteId : undefined}
        {...props}
      />
      {note ? (
        <p id={noteId} className={cn("text-xs", error ? "text-bad" : "text-faint")}>
          {note}
        </p>
      ) : null}
    </div>
  );
}
