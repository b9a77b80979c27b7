import type { JsonValue } from "../../protocol/json";
import type { CallScope } from "../../protocol/runtime-rpc";
import { AppError } from "../platform/errors";
import { invoke } from "../sandbox";
import type { Redactor } from "../sessions";
import type { PlannedCall } from "./plan-call";
import { callFailure, type ToolResult, toolResult } from "./tool-outcome";

/** How a call went: its result, or why it has none. Secrets are out of it. */
export interface RanCall {
  durationMs: number;
  redactor: Redactor;
  result?: ToolResult;
  /** What the caller is answered in place of a result. */
  failure?: unknown;
}

/**
 * Runs a planned call in the agent's process.
 * @param scope the call's own, where it runs in a session's folder
 */
export async function runPlanned(
  plan: PlannedCall,
  scope: CallScope = plan.scope,
  signal = plan.signal,
): Promise<RanCall> {
  const { ref, tool, input, approve: approved } = plan;
  const startedAt = performance.now();
  const call = { kind: "tool", name: tool.name, input, approved, scope } as const;
  const options = { timeoutMs: tool.timeoutMs, repeatable: tool.effect === "read", signal };
  const answer = await invoke(ref, call, options).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const redactor = await plan.redactor();
  try {
    if ("error" in answer) throw callFailure(answer.error, redactor.text);
    return { durationMs, redactor, result: toolResult(tool.name, redactor.json(answer.value)) };
  } catch (failure) {
    return { durationMs, redactor, failure };
  }
}

/** The result as the log has it: a call without one says why. */
export function loggedResult({ result, failure }: RanCall): {
  isError: boolean;
  result: JsonValue;
  stubbed?: boolean;
} {
  if (result) return result;
  const message = failure instanceof AppError ? failure.message : "The call failed here.";
  return { isError: true, result: message };
}
