/** What went wrong with a call into a sandbox; the codes are those of the product's error table. */
export type SandboxErrorCode =
  | "tool_timeout"
  | "runtime_lost"
  | "sandbox_failed"
  | "cancelled"
  | "output_too_large"
  | "workspace_unavailable";

export class SandboxError extends Error {
  override readonly name = "SandboxError";
  /** Whether the call had reached the agent process, so that its effects may have happened. */
  readonly sent: boolean;
  /** Stack of the tenant's error, where there is one. */
  readonly guestStack: string | undefined;

  constructor(
    readonly code: SandboxErrorCode,
    message: string,
    detail: { sent?: boolean; guestStack?: string | undefined } = {},
  ) {
    super(message);
    this.sent = detail.sent ?? false;
    this.guestStack = detail.guestStack;
  }
}
