import { Refusal } from "./refusal";

const LITERAL = /[.+^$()|\\/-]/;
/** Nested or long alternatives would multiply; nobody needs more. */
const MAX_LENGTH = 1000;

/** Reads one `[…]` at `at`; undefined if it has no end. */
function readClass(pattern: string, at: number): { source: string; end: number } | undefined {
  const end = pattern.indexOf("]", at + 2);
  if (end < 0) return undefined;
  const body = pattern
    .slice(at + 1, end)
    .replaceAll("\\", "\\\\")
    .replaceAll("[", "\\[");
  return { source: `[${/^[!^]/.test(body) ? `^/${body.slice(1)}` : body}]`, end };
}

const literal = (character: string): string =>
  LITERAL.test(character) || "[]{}*?".includes(character) ? `\\${character}` : character;

/** One wildcard or character at `at`, as a regular expression, and where the next one begins. */
function readToken(pattern: string, at: number, depth: number): { source: string; next: number } {
  const rest = pattern.slice(at);
  if (rest.startsWith("**/")) return { source: "(?:[^/]+/)*", next: at + 3 };
  if (rest.startsWith("**")) return { source: ".*", next: at + 2 };
  const character = rest[0] ?? "";
  const next = at + 1;
  if (character === "*") return { source: "[^/]*", next };
  if (character === "?") return { source: "[^/]", next };
  if (character === "{") return { source: "(?:", next };
  if (depth > 0 && character === "}") return { source: ")", next };
  if (depth > 0 && character === ",") return { source: "|", next };
  const group = character === "[" ? readClass(pattern, at) : undefined;
  return group
    ? { source: group.source, next: group.end + 1 }
    : { source: literal(character), next };
}

/**
 * A glob pattern as a test for paths with `/`: `*` and `?` stay within a name, `**` crosses
 * folders, and `[…]` and `{a,b}` choose. Throws Refusal for one that cannot be read.
 */
export function globPattern(pattern: string): RegExp {
  if (pattern === "" || pattern.length > MAX_LENGTH) throw new Refusal("The pattern has no use.");
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; ) {
    const token = readToken(pattern, at, depth);
    if (token.source === "(?:") depth++;
    if (token.source === ")") depth--;
    source += token.source;
    at = token.next;
  }
  if (depth > 0) throw new Refusal(`${pattern} has a { without its }.`);
  try {
    return new RegExp(`^${source}$`, "su");
  } catch {
    throw new Refusal(`${pattern} is not a pattern.`);
  }
}
