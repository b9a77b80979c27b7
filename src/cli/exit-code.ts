import { BerthApiError } from "../sdk/client";

/** Exit codes of the CLI; a closed pipe ends with `ok`. */
export const EXIT = {
  ok: 0,
  /** It ran and failed: a failed turn, a tool that threw, errors found by `validate`. */
  failed: 1,
  usage: 2,
  /** A person has to decide first. */
  waiting: 3,
  /** Not signed in, or not allowed. */
  forbidden: 4,
  notFound: 5,
  /** Conflict or busy. */
  conflict: 6,
  /** Rate or budget limit. */
  limited: 7,
  timeout: 8,
  /** Server or network. */
  server: 9,
  /** Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CliErrorOptions {
  /** What to do now, as one line. */
  fix?: string;
  exitCode?: ExitCode;
}

/** A failure with a message for the person at the terminal. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: string;
  readonly fix: string | undefined;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, options: CliErrorOptions = {}) {
    super(message);
    this.code = code;
    this.fix = options.fix;
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** A wrong use of the command line: exit code 2. */
export const usageError = (message: string, fix?: string): CliError =>
  new CliError("usage", message, { exitCode: EXIT.usage, ...(fix ? { fix } : {}) });

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  approval_required: EXIT.waiting,
  agent_not_deployed: EXIT.notFound,
  budget_exceeded: EXIT.limited,
  tool_timeout: EXIT.timeout,
  not_available: EXIT.failed,
};

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  0: EXIT.server,
  401: EXIT.forbidden,
  403: EXIT.forbidden,
  404: EXIT.notFound,
  408: EXIT.timeout,
  409: EXIT.conflict,
  429: EXIT.limited,
  504: EXIT.timeout,
};

/** Exit code for what a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (!(error instanceof BerthApiError)) return EXIT.failed;
  const known = BY_CODE[error.code] ?? BY_STATUS[error.status];
  if (known !== undefined) return known;
  return error.status >= 500 ? EXIT.server : EXIT.usage;
}
