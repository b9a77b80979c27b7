/** A failure with a remedy: its message is for the person at the terminal and needs no stack. */
export class Problem extends Error {
  constructor(message, fix) {
    super(fix ? `${message}\n  → ${fix.split("\n").join("\n    ")}` : message);
    this.name = "Problem";
  }
}

/** Prints a Problem plainly and anything else with its stack; the process ends with code 1. */
export function reportAndFail(error) {
  const text = error instanceof Problem ? error.message : (error?.stack ?? String(error));
  process.stderr.write(`\n✗ ${text}\n`);
  process.exitCode = 1;
}
