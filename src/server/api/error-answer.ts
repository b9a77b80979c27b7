import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import { isUnstorableText } from "./is-unstorable-text";
import { storeFault } from "./store-fault";

/** The agent's own API and the control API word the same error differently (SPEC 4 and 13). */
export type Surface = "agent" | "control";

/** The surface a path belongs to. */
export const surfaceOf = (pathname: string): Surface =>
  pathname === "/api" || pathname.startsWith("/api/") ? "control" : "agent";

const asAppError = (error: unknown, requestId: string): AppError => {
  if (error instanceof AppError) return error;
  if (isUnstorableText(error)) {
    return new AppError("invalid_request", "A name, id or address holds a NUL character.", {
      cause: error,
    });
  }
  const fault = storeFault(error);
  if (fault) {
    platform().log.warn({ reason: reasonOf(error), requestId }, "a request found no store");
    return fault;
  }
  platform().log.error({ err: error, requestId }, "a request failed");
  return new AppError(
    "internal",
    `Something went wrong here. Quote the request id ${requestId} when you report it.`,
  );
};

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const TITLES: Partial<Record<number, string>> = {
  400: "Bad request",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  415: "Unsupported media type",
  416: "Range not satisfiable",
  422: "Refused",
  429: "Too many requests",
  431: "Headers too large",
  501: "Not available",
  503: "Not available now",
  507: "No space left",
};

const titleOf = (status: number): string =>
  TITLES[status] ?? (status >= 500 ? "The server could not answer" : "Error");

const agentBody = (error: AppError, requestId: string) => ({
  ...error.details,
  ok: false,
  error: error.code,
  message: error.message,
  requestId,
});

const problemBody = (error: AppError, requestId: string) => ({
  ...error.details,
  type: `urn:berth:error:${error.code}`,
  title: titleOf(error.status),
  status: error.status,
  detail: error.message,
  code: error.code,
  requestId,
});

/** Extra headers of an error by its code. */
const headersOf = (error: AppError): Record<string, string> => ({
  ...(error.retryAfterS === undefined
    ? {}
    : { "retry-after": String(Math.ceil(error.retryAfterS)) }),
  ...(error.code === "range_not_satisfiable"
    ? { "content-range": `bytes */${error.details.size}` }
    : {}),
  ...(error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="berth"' } : {}),
});

/**
 * Any thrown value as the answer of a surface. What is not an `AppError` is logged with the
 * request id and answered as `internal`, without its text.
 */
export function errorAnswer(
  thrown: unknown,
  { surface, requestId }: { surface: Surface; requestId: string },
): Response {
  const error = asAppError(thrown, requestId);
  const control = surface === "control";
  return new Response(JSON.stringify((control ? problemBody : agentBody)(error, requestId)), {
    status: error.status,
    headers: {
      "content-type": control ? "application/problem+json" : "application/json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headersOf(error),
    },
  });
}
