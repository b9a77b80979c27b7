import type { ToolResultPart } from "ai";
import type { JsonValue } from "../../protocol/json";
import { byteLength } from "../platform/json-safety";

type ToolOutput = ToolResultPart["output"];

/** Most bytes of a result that a model is shown (SPEC 5). */
const MODEL_BYTES = 32 * 1024;

/** The beginning of a text in at most so many UTF-8 bytes, without half a character. */
export function firstBytes(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  return Buffer.from(text, "utf8")
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
}

function shortened(text: string): string {
  const size = byteLength(text);
  if (size <= MODEL_BYTES) return text;
  return `${firstBytes(text, MODEL_BYTES)}\n[The first ${MODEL_BYTES} of ${size} bytes.]`;
}

interface TextItem {
  type: "text";
  text: string;
}
interface ImageItem {
  type: "image";
  data: string;
  mimeType: string;
}

function contentOf(result: JsonValue): (TextItem | ImageItem)[] | undefined {
  if (result === null || typeof result !== "object" || Array.isArray(result)) return undefined;
  const { content } = result;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const items = content as unknown as Partial<TextItem | ImageItem>[];
  const known = items.every(
    (item) =>
      (item.type === "text" && typeof item.text === "string") ||
      (item.type === "image" && typeof item.data === "string"),
  );
  return known ? (items as (TextItem | ImageItem)[]) : undefined;
}

/** A kept result as the model sees it: rich content as such, JSON as JSON, at most 32 KiB. */
export function toModelOutput(result: JsonValue, isError: boolean): ToolOutput {
  const content = contentOf(result);
  if (content?.every((item) => item.type === "text")) {
    return textOutput(content.map((item) => (item as TextItem).text).join("\n"), isError);
  }
  if (content && !isError) return { type: "content", value: content.map(toContentItem) };
  if (typeof result === "string") return textOutput(result, isError);
  const json = JSON.stringify(result);
  if (byteLength(json) > MODEL_BYTES) return textOutput(json, isError);
  return { type: isError ? "error-json" : "json", value: result };
}

const textOutput = (text: string, isError: boolean): ToolOutput => ({
  type: isError ? "error-text" : "text",
  value: shortened(text),
});

type ContentItem = Extract<ToolOutput, { type: "content" }>["value"][number];

const toContentItem = (item: TextItem | ImageItem): ContentItem =>
  item.type === "text"
    ? { type: "text", text: shortened(item.text) }
    : { type: "file", mediaType: item.mimeType, data: { type: "data", data: item.data } };
