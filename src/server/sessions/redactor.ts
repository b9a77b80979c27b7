import type { RedactedStream, Redactor } from "../secrets";

export type { RedactedStream, Redactor } from "../secrets";

const same = <T>(value: T): T => value;

/** For agents without secrets. */
export const NO_SECRETS: Redactor = {
  text: same,
  json: same,
  stream: (): RedactedStream => ({ push: same, flush: () => "" }),
};
