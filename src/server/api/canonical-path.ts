/** What a canonical path never holds: backslashes, controls, escapes of `.`, `/`, `\` and NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is refused
const FOREIGN = /[\\\u0000-\u0020\u007f]|%(?:2e|2f|5c|00)|%(?![0-9a-f]{2})/i;

/**
 * Whether a request target's path means one place only, for every parser on its way: no dot
 * segments, no empty ones inside, no escapes that could become separators.
 */
export function isCanonicalPath(path: string): boolean {
  if (!path.startsWith("/") || FOREIGN.test(path)) return false;
  const segments = path.slice(1).split("/");
  return !segments.some(
    (segment, index) =>
      segment === "." || segment === ".." || (segment === "" && index < segments.length - 1),
  );
}

/** The path of a raw request target, as it was sent. */
export const rawPathOf = (target: string): string => target.split(/[?#]/, 1)[0] ?? "";
