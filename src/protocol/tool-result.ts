import type { JsonValue } from "./json";

type JsonObject = { [key: string]: JsonValue };

/** One item of a rich result, as models and MCP clients see it. `data` and `blob` are base64. */
export type ToolContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "file"; data: string; mimeType: string; name?: string }
  | {
      type: "resource";
      resource: { uri: string; mimeType?: string; text?: string; blob?: string };
    };

/** The envelope a tool may return for rich results. */
export interface ToolEnvelope {
  content: ToolContent[];
  isError: boolean;
  structuredContent?: JsonObject;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: JsonValue | undefined): value is string => typeof value === "string";

function isResource(value: JsonValue | undefined): boolean {
  if (!isObject(value) || !isText(value.uri)) return false;
  const { mimeType, text, blob } = value;
  return (mimeType === undefined || isText(mimeType)) && (isText(text) || isText(blob));
}

function isContent(item: JsonValue): boolean {
  if (!isObject(item)) return false;
  switch (item.type) {
    case "text":
      return isText(item.text);
    case "image":
    case "file":
      return isText(item.data) && isText(item.mimeType);
    case "resource":
      return isResource(item.resource);
    default:
      return false;
  }
}

/**
 * A result as an envelope: an object whose `content` is a list of known items. Any other value is
 * the result itself: `undefined`.
 */
export function readEnvelope(result: JsonValue): ToolEnvelope | undefined {
  if (!isObject(result) || !Array.isArray(result.content)) return undefined;
  if (!result.content.every(isContent)) return undefined;
  const { content, isError, structuredContent } = result;
  return {
    content: content as unknown as ToolContent[],
    isError: isError === true,
    ...(isObject(structuredContent) ? { structuredContent } : {}),
  };
}

/** What fills an MCP client's `structuredContent`: a plain object, or the envelope's own. */
export function structuredContentOf(result: JsonValue): JsonObject | undefined {
  const envelope = readEnvelope(result);
  if (envelope) return envelope.structuredContent;
  return isObject(result) ? result : undefined;
}
