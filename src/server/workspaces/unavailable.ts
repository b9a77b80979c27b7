import { AppError } from "../platform/errors";

/** For `catch`: what the disk or the blob store said, as the error that callers know. */
export function unavailable(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The session's workspace could not be prepared: ${reason}.`;
  throw new AppError("workspace_unavailable", message, { cause });
}
