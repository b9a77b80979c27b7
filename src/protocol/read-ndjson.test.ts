import { describe, expect, it } from "vitest";
import { readNdjson } from "./read-ndjson";

function bodyOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function valuesOf(text: string, size: number): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const values: unknown[] = [];
  for await (const value of readNdjson(bodyOf(chunks))) values.push(value);
  return values;
}

describe("readNdjson", () => {
  it("reads lines wherever the chunks are cut, inside a character too", async () => {
    const text = '{"a":"Grüße 🚢"}\n{"b":2}\n';
    for (const size of [1, 2, 3, 7, 100]) {
      expect((await valuesOf(text, size)).filter(Boolean)).toEqual([{ a: "Grüße 🚢" }, { b: 2 }]);
    }
  });

  it("gives undefined for a keep-alive and reads a last line without a line feed", async () => {
    expect(await valuesOf('1\n\n{"end":true}', 4)).toEqual([1, undefined, { end: true }]);
  });

  it("throws on a line that is not JSON", async () => {
    await expect(valuesOf("{oops\n", 10)).rejects.toThrow(SyntaxError);
  });
});
