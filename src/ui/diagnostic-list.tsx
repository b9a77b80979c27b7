import { CircleX, TriangleAlert } from "lucide-react";
import type { Diagnostic } from "../protocol/manifest";

const place = ({ file, line, column }: Diagnostic): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** What a build found: where, what, and how to mend it. */
export const DiagnosticList = ({ diagnostics }: { diagnostics: readonly Diagnostic[] }) => (
  <ul className="grid gap-2">
    {diagnostics.map((diagnostic) => (
      <li
        key={`${place(diagnostic)} ${diagnostic.code} ${diagnostic.message}`}
        className="grid gap-1 rounded-lg border border-line bg-surface px-3 py-2.5 text-sm [overflow-wrap:anywhere]"
      >
        <p className="flex items-start gap-2">
          {diagnostic.severity === "error" ? (
            <CircleX aria-label="Error" className="mt-0.5 size-4 shrink-0 text-bad" />
          ) : (
            <TriangleAlert aria-label="Warning" className="mt-0.5 size-4 shrink-0 text-warn" />
          )}
          {diagnostic.message}
        </p>
        <p className="pl-6 font-mono text-faint text-xs">
          {place(diagnostic)} · {diagnostic.code}
        </p>
        {diagnostic.fix ? (
          <p className="whitespace-pre-wrap pl-6 text-soft text-xs">{diagnostic.fix}</p>
        ) : null}
      </li>
    ))}
  </ul>
);
