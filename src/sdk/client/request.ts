import { BerthApiError, errorFrom } from "./api-error";

/** Where requests go and as whom. */
export interface Connection {
  /** Origin and base path, without a trailing slash. */
  url: string;
  token?: string | undefined;
  fetch: typeof fetch;
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  json?: unknown;
  body?: Uint8Array<ArrayBuffer>;
  contentType?: string;
  accept?: string;
  signal?: AbortSignal | undefined;
}

/** Path segments, each encoded. */
export const path = (...segments: (string | number)[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");

function address(connection: Connection, route: string, query: RequestOptions["query"]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  const suffix = search.size > 0 ? `?${search}` : "";
  return `${connection.url}${route}${suffix}`;
}

function headersOf(connection: Connection, options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: options.accept ?? "application/json" };
  if (connection.token) headers.authorization = `Bearer ${connection.token}`;
  if (options.json !== undefined) headers["content-type"] = "application/json";
  if (options.contentType) headers["content-type"] = options.contentType;
  return headers;
}

function unreachable(connection: Connection, cause: unknown): BerthApiError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = (inner as { code?: string } | undefined)?.code;
  const reason = code ?? (inner instanceof Error ? inner.message : String(inner));
  return new BerthApiError(`${connection.url} cannot be reached (${reason}).`, {
    code: "unreachable",
    status: 0,
    cause,
  });
}

/**
 * Sends one request and returns the successful response.
 * @throws BerthApiError for every other answer and when nothing answers; an abort as it is.
 */
export async function request(
  connection: Connection,
  method: string,
  route: string,
  options: RequestOptions = {},
): Promise<Response> {
  const init: RequestInit = { method, headers: headersOf(connection, options), redirect: "error" };
  if (options.json !== undefined) init.body = JSON.stringify(options.json);
  if (options.body !== undefined) init.body = options.body;
  if (options.signal) init.signal = options.signal;
  let response: Response;
  try {
    response = await connection.fetch(address(connection, route, options.query), init);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable(connection, error);
  }
  if (!response.ok) throw await errorFrom(response);
  return response;
}

/** As `request`, and reads the JSON answer. */
export async function requestJson<Answer>(
  connection: Connection,
  method: string,
  route: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const response = await request(connection, method, route, options);
  const body = await response.text();
  try {
    return JSON.parse(body) as Answer;
  } catch (cause) {
    throw new BerthApiError(`${connection.url} did not answer with JSON. Is it a Berth server?`, {
      code: "unexpected_answer",
      status: response.status,
      cause,
    });
  }
}
