import type { Pattern } from "./secret-patterns";

/** Where a scan stands: text before `covered` belongs to a secret that was replaced already. */
interface Scan {
  out: string;
  covered: number;
}

/**
 * Finds secrets in text. Occurrences may overlap: every character of every occurrence goes, and
 * overlapping ones are replaced once, by the label of the first.
 */
export class SecretScanner {
  readonly #patterns: readonly Pattern[];
  readonly #labels: ReadonlyMap<string, string>;
  readonly #search: RegExp;
  readonly #longest: number;

  /** @param patterns longest first, at least one */
  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
    this.#labels = new Map(patterns.map(({ text, label }) => [text, label]));
    const source = patterns.map(({ text }) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    this.#search = new RegExp(source.join("|"), "g");
    this.#longest = patterns[0]?.text.length ?? 0;
  }

  /**
   * Replaces the occurrences that start before `limit`.
   * @param covered characters at the start that an earlier occurrence already took
   * @returns the safe text up to `limit`, and how far the last occurrence reaches
   */
  scan(text: string, limit: number, covered: number): Scan {
    const scan: Scan = { out: "", covered };
    this.#search.lastIndex = 0;
    for (let match = this.#next(text); match && match.index < limit; match = this.#next(text)) {
      const end = match.index + match[0].length;
      if (match.index >= scan.covered) {
        scan.out += text.slice(scan.covered, match.index) + (this.#labels.get(match[0]) ?? "");
      }
      scan.covered = Math.max(scan.covered, end);
      this.#search.lastIndex = match.index + 1; // an overlapping one may start inside
    }
    if (scan.covered < limit) scan.out += text.slice(scan.covered, limit);
    scan.covered = Math.max(scan.covered, limit);
    return scan;
  }

  /** Where the tail begins that could be the start of a secret; the text's length for none. */
  tailStart(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at += 1) {
      if (this.#patterns.some((pattern) => continuesAt(pattern.text, text, at))) return at;
    }
    return text.length;
  }

  #next(text: string): RegExpExecArray | null {
    return this.#search.exec(text);
  }
}

/** Whether `text` from `at` to its end is a beginning, and not all, of the pattern. */
function continuesAt(pattern: string, text: string, at: number): boolean {
  const length = text.length - at;
  if (length >= pattern.length) return false;
  for (let i = 0; i < length; i += 1) {
    if (pattern.charCodeAt(i) !== text.charCodeAt(at + i)) return false;
  }
  return true;
}
