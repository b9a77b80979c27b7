import type { JsonValue } from "../../protocol/json";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { readEnvelope } from "../../protocol/tool-result";
import { firstBytes } from "../platform/first-bytes";
import { byteLength } from "../platform/json-safety";

export interface CallResult {
  isError: boolean;
  result: JsonValue;
  /** A dry run answered instead of the tool. */
  stubbed?: boolean;
  /** Holds the whole of a result that was too long for the log. */
  artifactId?: string;
}

const WHOLE_BYTES = 1024 * 1024;
const SHOWN_BYTES = 256 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

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
      return bounded({
        isError: outcome.isError,
        result: (outcome.result ?? null) as JsonValue,
        ...(outcome.stubbed ? { stubbed: true } : {}),
      });
    case "threw":
      return bounded(errorResult(outcome.message));
    case "invalid_input":
      return bounded(errorResult(invalidInput(outcome)));
    case "unknown_tool":
      return errorResult(`This version has no tool ${toolName}.`);
  }
}

function invalidInput(outcome: Extract<ToolOutcome, { outcome: "invalid_input" }>): string {
  const issues = outcome.issues.map(({ path, message }) => `${path || "input"}: ${message}`);
  return [outcome.message, ...issues].join("\n");
}

/** Results over 1 MiB are cut to their first 256 KiB; over 64 MiB they are an error. */
export function bounded(call: CallResult): CallResult {
  const text = typeof call.result === "string" ? call.result : JSON.stringify(call.result);
  const size = byteLength(text);
  if (size <= WHOLE_BYTES) return call;
  if (size > MAX_BYTES) {
    return errorResult(`output_too_large: the result has ${size} bytes; at most ${MAX_BYTES} fit.`);
  }
  const note = `[The first ${SHOWN_BYTES} of ${size} bytes.]`;
  return { ...call, result: `${firstBytes(text, SHOWN_BYTES)}\n${note}` };
}
