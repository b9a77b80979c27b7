import { isMap, LineCounter, parseDocument } from "yaml";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt } from "./diagnostics";

/** Frontmatter beyond this is refused, in characters. */
const MAX_FRONTMATTER = 16 * 1024;
const BLOCK = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

export interface Frontmatter {
  data: Record<string, unknown>;
  /** What follows the frontmatter, trimmed. */
  body: string;
  diagnostics: Diagnostic[];
}

/**
 * Splits a Markdown file into its YAML frontmatter and its body. Only plain data is read: no
 * aliases, no tags of other types. What is wrong is a diagnostic with its line.
 */
export const readFrontmatter = (file: string, text: string): Frontmatter => {
  const match = BLOCK.exec(text);
  if (match === null) return { data: {}, body: text.trim(), diagnostics: unclosed(file, text) };
  const yaml = match[1] ?? "";
  const body = text.slice(match[0].length).trim();
  if (yaml.length > MAX_FRONTMATTER) {
    return { data: {}, body, diagnostics: [bad(file, "the frontmatter is larger than 16 KiB", 1)] };
  }
  return { body, ...parse(file, yaml) };
};

const bad = (file: string, message: string, line: number): Diagnostic =>
  errorAt("invalid_frontmatter", message, { file, line });

const unclosed = (file: string, text: string): Diagnostic[] =>
  /^---[ \t]*\r?\n/.test(text)
    ? [bad(file, "the frontmatter has no closing line of three dashes", 1)]
    : [];

const parse = (file: string, yaml: string): Omit<Frontmatter, "body"> => {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    schema: "core",
    resolveKnownTags: false,
    lineCounter: lines,
    prettyErrors: false,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const line = lines.linePos(problem.pos[0]).line + 1;
    return { data: {}, diagnostics: [bad(file, problem.message, line)] };
  }
  if (document.contents === null) return { data: {}, diagnostics: [] };
  if (!isMap(document.contents)) {
    return { data: {}, diagnostics: [bad(file, "the frontmatter is not a table of keys", 2)] };
  }
  try {
    return { data: document.toJS({ maxAliasCount: 0 }), diagnostics: [] };
  } catch (error) {
    const message = error instanceof ReferenceError ? "aliases are not allowed" : String(error);
    return { data: {}, diagnostics: [bad(file, `the frontmatter cannot be read: ${message}`, 2)] };
  }
};
