import { byteLength } from "../../platform/json-safety";

/** Room for one result as the model sees it, with a note at its end. */
export const DISPLAY_BYTES = 31 * 1024;

/** As many of the lines, from the first, as fit the display; at least one. */
export function fittingLines(lines: readonly string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += byteLength(line) + 1;
    return bytes > DISPLAY_BYTES;
  });
  return end === -1 ? [...lines] : lines.slice(0, Math.max(1, end));
}

/** Lines as one text, with a note when there are more than are shown. */
export function listed(lines: readonly string[], more: boolean, nothing: string): string {
  if (lines.length === 0) return nothing;
  const shown = fittingLines(lines);
  const cut = more || shown.length < lines.length;
  const note = cut ? [`[There is more than these ${shown.length}: narrow it down.]`] : [];
  return [...shown, ...note].join("\n");
}
