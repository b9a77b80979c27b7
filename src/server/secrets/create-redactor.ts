import { secretPatterns } from "./secret-patterns";
import { SecretScanner } from "./secret-scanner";

/** Redacts a text that arrives in pieces: all pieces together are the same as `text` of the whole. */
export interface RedactedStream {
  /** @returns what is safe to show now; a tail that may begin a secret is kept back */
  push(chunk: string): string;
  /** @returns the rest, when no more comes */
  flush(): string;
}

/** Replaces the values of secrets by `[secret:NAME]`. */
export interface Redactor {
  text(text: string): string;
  /** A JSON value with every text and key in it redacted; numbers that show a secret become text. */
  json<T>(value: T): T;
  stream(): RedactedStream;
}

/**
 * A redactor of named values: those of at least 8 characters, as they are and as JSON escapes them.
 * @param values secrets by name, as `runtimeEnv` answers them
 */
export function createRedactor(values: Readonly<Record<string, string>>): Redactor {
  const patterns = secretPatterns(values);
  if (patterns.length === 0) return UNCHANGED;
  const scanner = new SecretScanner(patterns);
  const text = (whole: string): string => scanner.scan(whole, whole.length, 0).out;
  return {
    text,
    json: <T>(value: T) => redactJson(value, text) as T,
    stream: () => redactedStream(scanner),
  };
}

const UNCHANGED: Redactor = {
  text: (text) => text,
  json: (value) => value,
  stream: () => ({ push: (chunk) => chunk, flush: () => "" }),
};

function redactJson(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") {
    const shown = String(value);
    const safe = text(shown);
    return safe === shown ? value : safe;
  }
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [text(key), redactJson(item, text)]),
  );
}

function redactedStream(scanner: SecretScanner): RedactedStream {
  let held = "";
  let covered = 0;
  const emit = (limit: number): string => {
    const scan = scanner.scan(held, limit, covered);
    held = held.slice(limit);
    covered = scan.covered - limit;
    return scan.out;
  };
  return {
    push(chunk) {
      held += chunk;
      return emit(scanner.tailStart(held));
    },
    flush: () => emit(held.length),
  };
}
