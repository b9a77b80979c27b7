import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt } from "./diagnostics";

/** Markdown and package.json beyond this are refused, in bytes. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** Where a walk reports what it finds on its way. */
export interface Reader {
  dir: string;
  report(diagnostic: Diagnostic): void;
}

/** Reads a text file of the project; `undefined` and a diagnostic when it is too large. */
export const readText = async (reader: Reader, file: string): Promise<string | undefined> => {
  const handle = await open(join(reader.dir, file));
  try {
    const { size } = await handle.stat();
    if (size <= MAX_TEXT_BYTES) return (await handle.readFile("utf8")).replace(/^\uFEFF/, "");
  } finally {
    await handle.close();
  }
  const message = `${file} is larger than ${MAX_TEXT_BYTES / 1024} KiB`;
  reader.report(errorAt("file_too_large", message, { file, fix: "split or shorten it" }));
  return undefined;
};
