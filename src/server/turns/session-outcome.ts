import { AppError, notFound } from "../platform/errors";
import { notDeployed } from "./agent-not-deployed";

/** The error of a session function's outcome that is no success. */
export function sessionOutcomeError(outcome: string): AppError {
  switch (outcome) {
    case "not_found":
      return notFound();
    case "forbidden":
      return new AppError("forbidden", "This session belongs to somebody else.");
    case "stale":
      return new AppError(
        "stale_continuation_token",
        "A newer message used this continuation token; send again with the newest one.",
      );
    case "not_followable":
      return new AppError("session_not_followable", "This session has ended: open a new one.");
    case "not_deployed":
      return notDeployed();
    default:
      return new AppError("internal", "The session could not be changed.");
  }
}
