import { AppError } from "../platform/errors";

/** What went wrong, without the host's paths: tenants read it. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { syscall } = cause as NodeJS.ErrnoException;
  // The system's errors read "CODE: what, call 'path' -> 'path'".
  return syscall === undefined
    ? cause.message
    : (cause.message.split(`, ${syscall}`)[0] ?? syscall);
}

/** For `catch`: what the disk or the blob store said, as the error that callers know. */
export function unavailable(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  const message = `The session's workspace could not be prepared: ${reasonOf(cause)}.`;
  throw new AppError("workspace_unavailable", message, { cause });
}
