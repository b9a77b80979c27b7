import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJson, decodeJsonText, decodeText, encodeJson, encodeText } from "./json-safety";

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
});
const storable = (text: string) => text.isWellFormed() && !text.includes("\u0000");

describe("json safety", () => {
  it("brings back every text, whatever its code units", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = encodeText(text);
        expect(storable(stored)).toBe(true);
        expect(decodeText(stored)).toBe(text);
      }),
    );
  });

  it("brings back every JSON value, keys included", () => {
    const value = fc.dictionary(
      anyText,
      fc.array(fc.oneof(anyText, fc.integer(), fc.constant(null))),
    );
    fc.assert(
      fc.property(value, (given) => {
        const stored = encodeJson(given);
        expect(/\\u0000|\\ud[89a-f]/.test(stored.replaceAll("\\\\", ""))).toBe(false);
        expect(decodeJson(stored)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(JSON.parse(decodeJsonText(stored))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  it("keeps ordinary text and emoji as they are", () => {
    expect(encodeText("plain 😀 text")).toBe("plain 😀 text");
    expect(encodeJson({ a: "😀" })).toBe('{"a":"😀"}');
  });

  it("escapes what the database refuses", () => {
    expect(encodeText("a\u0000b")).toBe("a\uE0000b");
    expect(encodeText("a\ud83d")).toBe("a\uE000d83d");
    expect(encodeText("\uE000")).toBe("\uE000E");
  });
});
