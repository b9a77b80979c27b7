/** An answer that is not a success, from either API: its code says what happened. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** The two error bodies: the agent API's, and problem+json of the control API. */
interface ErrorBody {
  error?: string;
  message?: string;
  code?: string;
  title?: string;
  detail?: string;
  requestId?: string;
}

/** Reads a failed answer. A body that is not JSON still gives a problem with its status. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body: ErrorBody = await response.json().catch(() => ({}));
  return new ApiProblem(
    response.status,
    body.error ?? body.code ?? "http_error",
    body.message ?? body.detail ?? body.title ?? `The server answered ${response.status}.`,
    body.requestId ?? response.headers.get("x-request-id") ?? undefined,
  );
}

/** What proves that this page, not another site, asks. The layout renders it. */
const csrfToken = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="berth-csrf"]')?.content ?? "";

/**
 * A write with the signed-in person's cookie: JSON in, JSON out (`undefined` for 204).
 * @throws ApiProblem for an answer that is not 2xx; TypeError when the server is not reached.
 */
export async function sendJson<Result>(
  method: "POST" | "PUT" | "DELETE",
  url: string,
  body?: unknown,
): Promise<Result> {
  const response = await fetch(url, {
    method,
    credentials: "same-origin",
    headers: { "content-type": "application/json", "x-berth-csrf": csrfToken() },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw await problemOf(response);
  return (response.status === 204 ? undefined : await response.json()) as Result;
}

/** One sentence for people about any failure of a call. */
export const explain = (error: unknown): string =>
  error instanceof ApiProblem ? error.message : "The server could not be reached. Try again.";

/** Headers of a read with the cookie: the same proof, for routes that ask for it. */
export const readHeaders = (): HeadersInit => ({ "x-berth-csrf": csrfToken() });
