import type { ToolResultPart } from "ai";
import type { JsonValue } from "../../protocol/json";
import { readEnvelope, type ToolContent } from "../../protocol/tool-result";
import { firstBytes } from "../platform/first-bytes";
import { byteLength } from "../platform/json-safety";

export type ToolOutput = ToolResultPart["output"];

/** Most bytes of a result that a model is shown (SPEC 5). */
const MODEL_BYTES = 32 * 1024;

function shortened(text: string): string {
  const size = byteLength(text);
  if (size <= MODEL_BYTES) return text;
  return `${firstBytes(text, MODEL_BYTES)}\n[The first ${MODEL_BYTES} of ${size} bytes.]`;
}

/** What a model is given of rich content: texts, and images as bytes. */
type Shown = { text: string } | { image: string; mimeType: string };

function bytesShown(data: string, mimeType: string, name: string): Shown {
  if (mimeType.startsWith("image/")) return { image: data, mimeType };
  const bytes = Buffer.from(data, "base64");
  if (mimeType.startsWith("text/")) return { text: bytes.toString("utf8") };
  // A provider that does not read a kind of file refuses the whole conversation.
  return { text: `[${name}: ${bytes.length} bytes of ${mimeType}]` };
}

function shownOf(item: ToolContent): Shown {
  switch (item.type) {
    case "text":
      return { text: item.text };
    case "image":
      return bytesShown(item.data, item.mimeType, "image");
    case "file":
      return bytesShown(item.data, item.mimeType, item.name ?? "file");
    case "resource": {
      const { uri, text, blob = "", mimeType = "application/octet-stream" } = item.resource;
      return text === undefined ? bytesShown(blob, mimeType, uri) : { text };
    }
  }
}

/** A kept result as the model sees it: rich content as such, JSON as JSON, at most 32 KiB. */
export function toModelOutput(result: JsonValue, isError: boolean): ToolOutput {
  const content = readEnvelope(result)?.content.map(shownOf) ?? [];
  if (content.length > 0) return contentOutput(content, isError);
  if (typeof result === "string") return textOutput(result, isError);
  const json = JSON.stringify(result);
  if (byteLength(json) > MODEL_BYTES) return textOutput(json, isError);
  return { type: isError ? "error-json" : "json", value: result };
}

/** Errors and pure text are one text: not every provider takes items there. */
function contentOutput(content: readonly Shown[], isError: boolean): ToolOutput {
  const texts = content.flatMap((item) => ("text" in item ? [item.text] : []));
  if (isError || texts.length === content.length) return textOutput(texts.join("\n"), isError);
  return { type: "content", value: content.map(toContentItem) };
}

const textOutput = (text: string, isError: boolean): ToolOutput => ({
  type: isError ? "error-text" : "text",
  value: shortened(text),
});

type ContentItem = Extract<ToolOutput, { type: "content" }>["value"][number];

const toContentItem = (item: Shown): ContentItem =>
  "text" in item
    ? { type: "text", text: shortened(item.text) }
    : { type: "file", mediaType: item.mimeType, data: { type: "data", data: item.image } };
