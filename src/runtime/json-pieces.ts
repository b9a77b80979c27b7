import { randomUUID } from "node:crypto";

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Cuts `text` into slices of at most `size` (2 or more) UTF-16 units; a pair of surrogates stays together. */
function* slices(text: string, size: number): Generator<string> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + size;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(at, end);
  }
}

/**
 * `JSON.stringify(value) ?? "null"` in pieces, each made of at most `size` (2 or more) UTF-16 units
 * before escaping. A long string never exists a second time as a whole: it is escaped slice by slice.
 */
export function* jsonPieces(value: unknown, size: number): Generator<string> {
  const long: string[] = [];
  const placeholder = randomUUID();
  const outline = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "string" || inner.length <= size) return inner;
    long.push(inner);
    return placeholder;
  });
  const parts = (outline ?? "null").split(`"${placeholder}"`);
  for (const [index, part] of parts.entries()) {
    yield* slices(part, size);
    const text = long[index];
    if (text === undefined) continue;
    yield '"';
    for (const slice of slices(text, size)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  }
}
