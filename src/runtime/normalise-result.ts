import type { ToolOutcome } from "../protocol/runtime-rpc";
import { readEnvelope, type ToolContent } from "../protocol/tool-result";
import { CodedError } from "./coded-error";
import { toJson } from "./to-json";

type Returned = Extract<ToolOutcome, { outcome: "returned" }>;

/** Padding may be missing. One character class alone: a group would overflow on megabytes. */
const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;

function bytesOf(item: ToolContent): string | undefined {
  if (item.type === "resource") return item.resource.blob;
  return item.type === "text" ? undefined : item.data;
}

/** A provider refuses a whole conversation over one item it cannot read, so it is caught here. */
function checkContent(content: readonly ToolContent[]): void {
  for (const [i, item] of content.entries()) {
    const bytes = bytesOf(item);
    if (bytes === undefined || isBase64(bytes)) continue;
    throw new CodedError("invalid_result", `The ${item.type} in content[${i}] is not base64.`);
  }
}

/**
 * What a tool returned as an outcome. `{ content, isError? }` whose items are all known is an
 * envelope; any other value is the result itself. Throws `not_json` for what JSON cannot hold,
 * `invalid_result` for bytes that are not base64.
 */
export function normaliseResult(value: unknown): Returned {
  const result = toJson(value, "result");
  const envelope = readEnvelope(result);
  if (envelope) checkContent(envelope.content);
  return { outcome: "returned", result, isError: envelope?.isError ?? false };
}
