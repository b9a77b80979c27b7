/** Every error code the product answers with, and the HTTP status it travels under (SPEC 4). */
export const ERROR_STATUS = {
  // malformed requests
  invalid_json: 400,
  invalid_request: 400,
  invalid_auth: 400,
  invalid_tool_input: 400,
  invalid_time_args: 400,
  invalid_continuation_token: 400,
  tool_not_callable: 400,
  invalid_archive: 400,
  invalid_secret_name: 400,
  // who is asking
  unauthenticated: 401,
  invalid_credentials: 401,
  forbidden: 403,
  csrf_failed: 403,
  signup_closed: 403,
  // what is asked for
  not_found: 404,
  unknown_route: 404,
  unknown_tool: 404,
  session_not_found: 404,
  method_not_allowed: 405,
  // state
  stale_continuation_token: 409,
  session_not_followable: 409,
  approval_already_resolved: 409,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  already_created: 409,
  call_interrupted: 409,
  session_busy: 409,
  already_exists: 409,
  approval_required: 409,
  agent_not_deployed: 409,
  version_not_ready: 409,
  unsafe_sandbox_single_org: 409,
  // size, form and pace
  body_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  private_target_refused: 422,
  headers_too_large: 431,
  rate_limited: 429,
  // the server's own troubles
  internal: 500,
  workspace_unavailable: 500,
  not_available: 501,
  sandbox_failed: 502,
  output_too_large: 502,
  runtime_lost: 503,
  unavailable: 503,
  tool_timeout: 504,
  storage_full: 507,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** HTTP status of an error code. */
export const statusOf = (code: ErrorCode): number => ERROR_STATUS[code];
