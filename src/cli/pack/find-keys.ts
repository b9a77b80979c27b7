/** Text that looks like a credential somebody forgot. */
export interface KeyFinding {
  file: string;
  line: number;
  /** What it looks like; never the text itself. */
  kind: string;
}

const KEY_SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ["a Berth API key", /\bbth_[0-9A-Za-z]{6,}_[0-9A-Za-z]{20,}/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["an AWS secret key", /aws_secret_access_key["']?\s*[:=]\s*["']?[A-Za-z0-9/+]{40}\b/i],
  ["a model provider's API key", /(?<![A-Za-z0-9])sk-(?:[a-z]+\d*-)*[A-Za-z0-9_]{20,}/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/],
  ["a Slack token", /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
];

/** Key-shaped texts in one file, at most one per line. Binary content is searched as Latin-1. */
export function findKeys(file: string, content: Buffer): KeyFinding[] {
  const findings: KeyFinding[] = [];
  const lines = content.toString("latin1").split("\n");
  for (const [i, line] of lines.entries()) {
    const shape = KEY_SHAPES.find(([, pattern]) => pattern.test(line));
    if (shape) findings.push({ file, line: i + 1, kind: shape[0] });
  }
  return findings;
}
