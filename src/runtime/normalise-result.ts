import type { JsonValue } from "../protocol/json";
import type { ToolContent, ToolOutcome } from "../protocol/runtime-rpc";
import { toJson } from "./to-json";

type Returned = Extract<ToolOutcome, { outcome: "returned" }>;
type JsonObject = { [key: string]: JsonValue };

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isContent(value: JsonValue): value is ToolContent {
  if (!isObject(value)) return false;
  if (value.type === "text") return typeof value.text === "string";
  return (
    value.type === "image" && typeof value.data === "string" && typeof value.mimeType === "string"
  );
}

/**
 * What a tool returned as an outcome. `{ content, isError? }` whose items are all text or images
 * is an envelope; any other value is the result itself. Throws `not_json` for what JSON cannot hold.
 */
export function normaliseResult(value: unknown): Returned {
  const result = toJson(value, "result");
  if (isObject(result) && Array.isArray(result.content) && result.content.every(isContent)) {
    return {
      outcome: "returned",
      result,
      isError: result.isError === true,
      content: result.content,
    };
  }
  return { outcome: "returned", result, isError: false };
}
