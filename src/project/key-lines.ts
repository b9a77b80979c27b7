import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_TEXT_BYTES } from "./read-text";
import type { Walk } from "./walk";

const KEY = /(?<![\w.$])([A-Za-z_]\w*)["']?\s*:/g;
const MAX_KEYS = 200;

/** The line on which each `key:` of a source first stands. */
const keyLines = (source: string): Record<string, number> => {
  const lines = new Map<string, number>();
  for (const [index, line] of source.split("\n").entries()) {
    for (const [, key] of line.matchAll(KEY)) {
      if (key !== undefined && !lines.has(key) && lines.size < MAX_KEYS) lines.set(key, index + 1);
    }
  }
  return Object.fromEntries(lines);
};

/**
 * Lines of the keys of every module, so that what is found later about a value can be said with
 * its place. Large sources are left out: they only lose the line.
 */
export const keyLinesOf = async (walk: Walk): Promise<Record<string, Record<string, number>>> => {
  const found: Record<string, Record<string, number>> = {};
  for (const { file } of walk.modules) {
    const source = await readFile(join(walk.dir, file), "utf8");
    if (source.length <= MAX_TEXT_BYTES) found[file] = keyLines(source);
  }
  return found;
};
