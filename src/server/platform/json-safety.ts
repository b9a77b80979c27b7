/**
 * Postgres text and jsonb refuse NUL and lone surrogates, which models and tools do produce.
 * Everything that is stored passes through `encode*` and comes back through `decode*` unchanged:
 * U+E000 (private use) marks an escape: U+E000 0 = NUL, U+E000 E = U+E000, U+E000 d83d = lone surrogate.
 */
const MARK = "\uE000";
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
  /[\u0000\uE000]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const ESCAPE = /\uE000(?:0|E|d[89a-f][0-9a-f]{2})/g;

const escapeChar = (char: string): string => {
  if (char === "\u0000") return `${MARK}0`;
  if (char === MARK) return `${MARK}E`;
  return MARK + char.charCodeAt(0).toString(16);
};

const unescapeChar = (escaped: string): string => {
  const rest = escaped.slice(1);
  if (rest === "0") return "\u0000";
  return rest === "E" ? MARK : String.fromCharCode(Number.parseInt(rest, 16));
};

const mapStrings = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, map)]),
  );
};

/** Text as it may be stored. Text without unsafe characters is returned as it is. */
export const encodeText = (text: string): string => text.replace(UNSAFE, escapeChar);

/** The inverse of `encodeText`. */
export const decodeText = (text: string): string =>
  text.includes(MARK) ? text.replace(ESCAPE, unescapeChar) : text;

/** JSON text of a value as it may be stored, keys included. `undefined` becomes `null`. */
export function encodeJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  // JSON.stringify writes NUL and lone surrogates as \u escapes, so look for those too.
  if (!json.includes(MARK) && !/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(mapStrings(JSON.parse(json), encodeText));
}

/** The value of stored JSON text. */
export function decodeJson(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return json.includes(MARK) ? mapStrings(value, decodeText) : value;
}

/** Undoes the marker in a value that a driver parsed already. */
export const decodeValue = (value: unknown): unknown => mapStrings(value, decodeText);

/** Stored JSON text as JSON text for the wire; the same bytes when there is nothing to undo. */
export const decodeJsonText = (json: string): string =>
  json.includes(MARK) ? JSON.stringify(decodeJson(json)) : json;

/** Size of a text in UTF-8 bytes, the unit of every limit. */
export const byteLength = (text: string): number => Buffer.byteLength(text, "utf8");
