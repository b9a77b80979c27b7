import type { z } from "zod";
import { type ErrorCode, statusOf } from "../../protocol/error-code";

export interface Issue {
  path: string;
  message: string;
}

interface AppErrorOptions extends ErrorOptions {
  /** Extra members of the answer, such as `issues` or the names that exist. */
  details?: Record<string, unknown>;
  /** Seconds after which trying again makes sense. */
  retryAfterS?: number;
}

/** An error that a caller caused or can act on: a stable code, and a message that says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterS = options.retryAfterS;
  }

  get status(): number {
    return statusOf(this.code);
  }
}

/** The one answer for what does not exist and for what is not the caller's to see. */
export const notFound = (): AppError =>
  new AppError("not_found", "There is nothing here under that name or id.");

/** Turns a failed parse into `invalid_request` with its issues. */
export function invalidRequest(error: z.ZodError): AppError {
  const issues: Issue[] = error.issues.map((issue) => ({
    path: issue.path.map(String).join("."),
    message: issue.message,
  }));
  const first = issues[0];
  const where = first?.path ? ` at ${first.path}` : "";
  return new AppError("invalid_request", `The request is not valid${where}: ${first?.message}.`, {
    details: { issues },
  });
}
