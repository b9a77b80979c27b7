import type { JsonValue } from "../../protocol/json";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { readEnvelope } from "../../protocol/tool-result";

export interface CallResult {
  isError: boolean;
  result: JsonValue;
  /** A dry run answered instead of the tool. */
  stubbed?: boolean;
  /** Holds the whole of a result that was too long for the log. */
  artifactId?: string;
}

export const errorResult = (message: string): CallResult => ({ isError: true, result: message });

/** What a dry run answers in place of what would change something. */
export const ACKNOWLEDGED: CallResult = {
  isError: false,
  result: "Operation acknowledged.",
  stubbed: true,
};

type Ended = Exclude<ToolOutcome, { outcome: "approval_required" }>;

/** A result with something that the platform has to say about it. */
export function withNote(call: CallResult, note: string | undefined): CallResult {
  if (note === undefined) return call;
  const { result } = call;
  if (typeof result === "string") return { ...call, result: `${result}\n${note}` };
  const envelope = readEnvelope(result);
  const said = envelope?.content ?? [{ type: "text", text: JSON.stringify(result) }];
  const content = [...said, { type: "text", text: note }] as unknown as JsonValue;
  return { ...call, result: { ...(envelope ? (result as object) : {}), content } };
}

/** What an agent process answered to a tool call, as it is kept. */
export function toCallResult(toolName: string, outcome: Ended): CallResult {
  switch (outcome.outcome) {
    case "returned":
      return {
        isError: outcome.isError,
        result: (outcome.result ?? null) as JsonValue,
        ...(outcome.stubbed ? { stubbed: true } : {}),
      };
    case "threw":
      return errorResult(outcome.message);
    case "invalid_input":
      return errorResult(invalidInput(outcome));
    case "unknown_tool":
      return errorResult(`This version has no tool ${toolName}.`);
  }
}

function invalidInput(outcome: Extract<ToolOutcome, { outcome: "invalid_input" }>): string {
  const issues = outcome.issues.map(({ path, message }) => `${path || "input"}: ${message}`);
  return [outcome.message, ...issues].join("\n");
}
