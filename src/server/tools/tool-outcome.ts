import { z } from "zod";
import type { JsonValue } from "../../protocol/json";
import { AppError } from "../platform/errors";
import { SandboxError } from "../sandbox";

export const Issues = z.array(z.object({ path: z.string(), message: z.string() }));
const Effect = z.enum(["read", "write"]).optional();

/** What the agent process may answer to a tool call; it is tenant territory, so it is checked. */
const Outcome = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("returned"),
    result: z.custom<JsonValue>(),
    isError: z.boolean(),
    effect: Effect,
    stubbed: z.boolean().optional(),
  }),
  z.object({ outcome: z.literal("threw"), message: z.string(), effect: Effect }),
  z.object({ outcome: z.literal("invalid_input"), message: z.string(), issues: Issues }),
  z.object({ outcome: z.literal("approval_required") }),
  z.object({ outcome: z.literal("unknown_tool") }),
]);

/** A call's result as it is answered and logged. */
export interface ToolResult {
  isError: boolean;
  result: JsonValue;
  stubbed?: boolean;
}

export const approvalRequired = (name: string): AppError =>
  new AppError(
    "approval_required",
    `${name} needs an approval: call it with "approve": true, with the permission approvals:decide.`,
  );

export const invalidInput = (outcome: { message: string; issues: z.output<typeof Issues> }) =>
  new AppError("invalid_tool_input", outcome.message, { details: { issues: outcome.issues } });

/**
 * The tool's result, or what it threw as a result that is an error.
 * @throws AppError for outcomes that are the caller's to mend.
 */
export function toolResult(name: string, answer: unknown): ToolResult {
  const parsed = Outcome.safeParse(answer);
  if (!parsed.success) {
    throw new AppError("sandbox_failed", "The agent process gave an answer that makes no sense.");
  }
  const outcome = parsed.data;
  switch (outcome.outcome) {
    case "returned": {
      const { isError, result = null, stubbed } = outcome;
      return { isError, result, ...(stubbed ? { stubbed } : {}) };
    }
    case "threw":
      return { isError: true, result: outcome.message };
    case "invalid_input":
      throw invalidInput(outcome);
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
    case "workspace_unavailable":
      return new AppError("workspace_unavailable", message, options);
    case "sandbox_failed":
      return new AppError("sandbox_failed", message, options);
    case "runtime_lost":
    case "cancelled": {
      const doubt = sent ? "It may or may not have run." : "It did not run; try again.";
      return new AppError("runtime_lost", `${message} ${doubt}`, options);
    }
  }
}

/** Whether a call did not run because its session's folder could not be made. */
export const isWorkspaceUnavailable = (failure: unknown): boolean =>
  failure instanceof AppError && failure.code === "workspace_unavailable";
