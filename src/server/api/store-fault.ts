import { AppError } from "../platform/errors";

const RETRY_AFTER_S = 2;

/** No space: Postgres' `disk_full`, and a file system's own words. */
const FULL = new Set(["53100", "ENOSPC", "EDQUOT"]);

/** Postgres refuses or ends connections (classes 08, 53 and 57P), or is a standby. */
const AWAY_STATE = /^(08\w{3}|53\w{3}|57P\w{2}|25006)$/;

/** The network's words, then Prisma's: unreachable, closed, timed out, pool or transaction late. */
const AWAY = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"],
  ...["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"],
]);

/** What the driver says without a code. */
const AWAY_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error))/;

interface Thrown {
  code?: unknown;
  originalCode?: unknown;
  message?: unknown;
  meta?: unknown;
  driverAdapterError?: unknown;
  cause?: unknown;
}

/** The codes of an error and of those it carries, the outermost first. */
function signsOf(error: unknown, depth = 0): string[] {
  if (typeof error !== "object" || error === null || depth > 6) return [];
  const { code, originalCode, message, meta, driverAdapterError, cause } = error as Thrown;
  const own = [code, originalCode, message].filter((sign) => typeof sign === "string");
  return [...own, ...[meta, driverAdapterError, cause].flatMap((e) => signsOf(e, depth + 1))];
}

const isAway = (sign: string): boolean =>
  AWAY.has(sign) || AWAY_STATE.test(sign) || AWAY_TEXT.test(sign);

/**
 * What to answer when the database or a disk failed a request: `storage_full`, or `unavailable`
 * with the moment to try again. Undefined for every other error.
 */
export function storeFault(error: unknown): AppError | undefined {
  const signs = signsOf(error);
  if (signs.some((sign) => FULL.has(sign))) {
    return new AppError("storage_full", "There is no space left to store this. Make room first.", {
      cause: error,
    });
  }
  if (!signs.some(isAway)) return undefined;
  return new AppError(
    "unavailable",
    "The database does not answer now. Try again; an Idempotency-Key keeps that from doing it twice.",
    { cause: error, retryAfterS: RETRY_AFTER_S },
  );
}
