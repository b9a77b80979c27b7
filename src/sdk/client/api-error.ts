interface ApiErrorFields {
  code: string;
  /** HTTP status; 0 when no answer arrived. */
  status: number;
  requestId?: string | undefined;
  /** The other members of the answer, such as `issues`. */
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** What the server answered instead of a result, or `unreachable` when nothing answered. */
export class BerthApiError extends Error {
  override readonly name = "BerthApiError";
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.details = fields.details ?? {};
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Reads an error answer of either API: `{ error, message }` or problem+json `{ code, detail }`. */
export async function errorFrom(response: Response): Promise<BerthApiError> {
  const body = await response.text().catch(() => "");
  const fields = parseObject(body);
  const { error, code, message, detail, title, requestId, ...details } = fields;
  return new BerthApiError(
    text(message) ?? text(detail) ?? text(title) ?? `The server answered ${response.status}.`,
    {
      code: text(error) ?? text(code) ?? `http_${response.status}`,
      status: response.status,
      requestId: text(requestId) ?? text(response.headers.get("x-request-id")),
      details,
    },
  );
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {}; // a proxy's HTML page: the status alone must do
  }
}
