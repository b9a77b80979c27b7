import type { Diagnostic } from "../protocol/manifest";

type Place = Pick<Diagnostic, "file" | "line" | "column" | "fix">;

/** A finding that stops a deployment. `code` is stable, `place.file` relative to the project. */
export const errorAt = (code: string, message: string, place: Place): Diagnostic => ({
  severity: "error",
  code,
  message,
  ...place,
});

/** A finding that is shown and stops nothing. */
export const warningAt = (code: string, message: string, place: Place): Diagnostic => ({
  severity: "warning",
  code,
  message,
  ...place,
});

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === "error");

/** Line and column (from 1) of the first match of `pattern`, to be spread into a place. */
export const locate = (
  text: string,
  pattern: RegExp,
): { line: number; column: number } | Record<string, never> => {
  const index = text.search(pattern);
  if (index < 0) return {};
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};
