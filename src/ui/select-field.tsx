import type { ComponentProps } from "react";
import { cn } from "./cn";
import { INPUT } from "./field";

interface SelectFieldProps extends ComponentProps<"select"> {
  label: string;
  choices: readonly { value: string; label: string }[];
}

/** A labelled native select: it works on every device and with every reader. */
export function SelectField({ label, choices, name, className, ...props }: SelectFieldProps) {
  return (
    <div className={cn("grid gap-1.5", className)}>
      <label htmlFor={`field-${name}`} className="font-medium text-sm">
        {label}
      </label>
      <select id={`field-${name}`} name={name} className={INPUT} {...props}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
