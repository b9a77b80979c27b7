import pc from "picocolors";
import { plainText } from "./plain-text";

type Colors = ReturnType<typeof pc.createColors>;

/** Where a command writes: data on stdout, chatter on stderr. */
export interface Output {
  /** Result text on stdout. Foreign text belongs through `plainText` first. */
  data(text: string): void;
  /** One JSON document (or NDJSON line with `compact`) on stdout. */
  json(value: unknown, options?: { compact?: boolean }): void;
  /** A line for people on stderr. */
  note(text: string): void;
  /** A line on stderr that only a terminal gets. */
  progress(text: string): void;
  /** Colours for stderr, and for stdout. */
  err: Colors;
  out: Colors;
  /** Resolves when everything written has left this process. */
  flush(): Promise<void>;
}

export interface WritableLike extends NodeJS.WritableStream {
  isTTY?: boolean;
}

type Environment = Record<string, string | undefined>;

/** Whether to colour what goes to `stream`: NO_COLOR, then FORCE_COLOR, then the terminal. */
export function wantsColor(stream: { isTTY?: boolean }, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}

// JSON escapes C0 controls itself; terminals also act on DEL and the C1 controls.
const escapeControls = (json: string): string =>
  json.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** JSON that is safe to print on a terminal. */
export const jsonText = (value: unknown, compact = false): string =>
  escapeControls(JSON.stringify(value ?? null, null, compact ? undefined : 2));

const drained = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    stream.write("", () => resolve());
  });

export interface OutputStreams {
  stdout: WritableLike;
  stderr: WritableLike;
  env: Environment;
}

/** The output of one run of the CLI. */
export function createOutput({ stdout, stderr, env }: OutputStreams): Output {
  return {
    data: (text) => void stdout.write(text.endsWith("\n") ? text : `${text}\n`),
    json: (value, { compact = false } = {}) => void stdout.write(`${jsonText(value, compact)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (text) => {
      if (stderr.isTTY) stderr.write(`${text}\n`);
    },
    err: pc.createColors(wantsColor(stderr, env)),
    out: pc.createColors(wantsColor(stdout, env)),
    flush: async () => {
      await Promise.all([drained(stdout), drained(stderr)]);
    },
  };
}

/** Rows as columns of equal width; the first row is the heading. Foreign text is made plain. */
export function table(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) =>
    row.map((cell) => plainText(String(cell ?? "-")).replace(/\s+/g, " ")),
  );
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const widths = (cells[0] ?? []).map((_, column) => width(column));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
