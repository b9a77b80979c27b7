import type { Quota } from "./find-files";

const NAMED = 10;
const MIB = 1024 * 1024;

/** What the model is told about files that could not be saved. */
export function unsavedNote(unsaved: readonly string[], { bytes, files }: Quota): string {
  const named = unsaved.slice(0, NAMED).map((line) => `- ${line}`);
  const more = unsaved.length > NAMED ? [`- and ${unsaved.length - NAMED} more`] : [];
  return [
    "These files of the workspace are not saved as they are now, and may be lost after this turn:",
    ...named,
    ...more,
    `At most ${Math.round(bytes / MIB)} MiB in ${files} files are kept. Delete what is not needed.`,
  ].join("\n");
}
