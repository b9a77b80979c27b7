import { z } from "zod";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { AppError } from "../platform/errors";
import { SandboxError } from "../sandbox";

/** What the agent process may answer to a tool call; it is tenant territory, so it is checked. */
const Outcome = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("returned"),
    result: z.unknown(),
    isError: z.boolean(),
  }),
  z.object({ outcome: z.literal("threw"), message: z.string() }),
  z.object({
    outcome: z.literal("invalid_input"),
    message: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ outcome: z.literal("approval_required") }),
  z.object({ outcome: z.literal("unknown_tool") }),
]) satisfies z.ZodType<Omit<ToolOutcome, "content">>;

export const approvalRequired = (name: string): AppError =>
  new AppError(
    "approval_required",
    `${name} needs an approval: call it with "approve": true, with the permission approvals:decide.`,
  );

/**
 * The tool's result, or what it threw as a result that is an error.
 * @throws AppError for outcomes that are the caller's to mend.
 */
export function toolResult(name: string, answer: unknown): { isError: boolean; result: unknown } {
  const parsed = Outcome.safeParse(answer);
  if (!parsed.success) {
    throw new AppError("sandbox_failed", "The agent process gave an answer that makes no sense.");
  }
  const outcome = parsed.data;
  switch (outcome.outcome) {
    case "returned":
      return { isError: outcome.isError, result: outcome.result ?? null };
    case "threw":
      return { isError: true, result: outcome.message };
    case "invalid_input":
      throw new AppError("invalid_tool_input", outcome.message, {
        details: { issues: outcome.issues },
      });
    case "approval_required":
      throw approvalRequired(name);
    case "unknown_tool":
      throw new AppError("sandbox_failed", `The agent's bundle has no tool ${name}.`);
  }
}

/**
 * The error of a call that the sandbox could not bring to an outcome. It may quote what the agent's
 * process said, so `redact` takes the secrets out of it.
 */
export function callFailure(error: unknown, redact: (text: string) => string): unknown {
  if (!(error instanceof SandboxError)) return error;
  const { code, sent } = error;
  const message = redact(error.message);
  const options = { cause: error };
  switch (code) {
    case "tool_timeout":
      return new AppError("tool_timeout", message, options);
    case "output_too_large":
      return new AppError("output_too_large", message, options);
    case "sandbox_failed":
      return new AppError("sandbox_failed", message, options);
    case "runtime_lost":
    case "cancelled": {
      const doubt = sent ? "It may or may not have run." : "It did not run; try again.";
      return new AppError("runtime_lost", `${message} ${doubt}`, options);
    }
  }
}
