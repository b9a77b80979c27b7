/** Takes secret values out of what the platform, tools and models produced. */
export interface Redactor {
  text(text: string): string;
  json(value: unknown): unknown;
  stream(): RedactorStream;
}

/** Redacts text that arrives in pieces; holds back a tail that may begin a secret. */
export interface RedactorStream {
  push(chunk: string): string;
  /** What was held back, at the end of the text. */
  end(): string;
}

const same = <T>(value: T): T => value;

/** For agents without secrets. */
export const NO_SECRETS: Redactor = {
  text: same,
  json: same,
  stream: () => ({ push: same, end: () => "" }),
};
