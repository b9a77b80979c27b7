import { expect, test } from "vitest";
import { readEnvelope, structuredContentOf } from "../protocol/tool-result";
import { normaliseResult } from "./normalise-result";

const normal = (value: unknown) => {
  const { result, isError } = normaliseResult(value);
  return { result, isError };
};

test.each([
  ["a string verbatim", ' "as it\\u0000 is" ', ' "as it\\u0000 is" '],
  ["an object", { a: [1, true, null] }, { a: [1, true, null] }],
  [
    "members that are undefined, dropped",
    { a: 1, b: undefined, c: { d: undefined } },
    { a: 1, c: {} },
  ],
  ["undefined in a list, null", [undefined], [null]],
  ["undefined, null", undefined, null],
  ["a date, its text", new Date(0), "1970-01-01T00:00:00.000Z"],
  [
    "an instance of a class, its members",
    new (class {
      a = 1;
    })(),
    { a: 1 },
  ],
  ["numbers that JSON lacks, null", Number.NaN, null],
  ["a member named __proto__", JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
])("a result may be %s", (_name, value, result) => {
  expect(normal(value)).toEqual({ result, isError: false });
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

test.each([
  ["a BigInt", { n: 1n }, "result.n is a BigInt"],
  ["a function", { f: () => 1 }, "result.f is a function"],
  ["a symbol", [Symbol("s")], "result[0] is a symbol"],
  ["a cycle", cyclic, "result.self is part of a cycle"],
  ["a Map", { m: new Map() }, "result.m is a Map"],
  ["a Set", new Set(), "result is a Set"],
  ["bytes", { b: new Uint8Array(2) }, "result.b is bytes"],
  ["a Buffer", Buffer.from("x"), "result is bytes"],
  ["a promise inside", { p: Promise.resolve(1) }, "result.p is a Promise"],
  ["an Error", new Error("no"), "result is an Error"],
  ["nested too deep", JSON.parse("[".repeat(65) + "]".repeat(65)), "deeper than 64"],
])("%s is an error that names it", (_name, value, message) => {
  expect(() => normaliseResult(value)).toThrow(message);
});

test("64 levels are not too deep", () => {
  const deep = JSON.parse("[".repeat(64) + "]".repeat(64));
  expect(normal(deep).result).toEqual(deep);
});

const text = { type: "text", text: "t" };
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const file = { type: "file", data: "aGk", mimeType: "application/pdf", name: "a.pdf" };
const resource = { type: "resource", resource: { uri: "x:1", mimeType: "text/x", blob: "aGk=" } };

test("an envelope holds text, images, files and resources, and may be an error", () => {
  const content = [text, image, file, resource];
  expect(normal({ content })).toEqual({ result: { content }, isError: false });
  expect(normal({ content: [], isError: true }).isError).toBe(true);
  expect(normal({ content, isError: "yes" }).isError).toBe(false);
  expect(readEnvelope({ content: [{ ...text, extra: 1 }] })?.content).toHaveLength(1);
});

test.each([
  [{ content: "text" }],
  [{ content: [text, "text"] }],
  [{ content: [{ type: "video", data: "" }] }],
  [{ content: [{ type: "image", data: "aGk=" }] }],
  [{ content: [{ type: "resource", resource: { uri: "x:1" } }], isError: true }],
])("%j is a value and no envelope", (value) => {
  expect(readEnvelope(value)).toBeUndefined();
  expect(normal(value)).toEqual({ result: value, isError: false });
});

test.each(["a", "aGk=h", "data:image/png;base64,aGk=", "aGk\n"])("%j is not base64", (data) => {
  expect(() => normaliseResult({ content: [{ ...image, data }] })).toThrow("not base64");
});

test("megabytes of base64 are checked without trouble", () => {
  const data = "AAAA".repeat(2_000_000);
  expect(normal({ content: [{ ...image, data }] }).isError).toBe(false);
});

test("plain objects fill structuredContent, envelopes bring their own", () => {
  expect(structuredContentOf({ city: "Bern" })).toEqual({ city: "Bern" });
  expect(structuredContentOf({ content: [], structuredContent: { a: 1 } })).toEqual({ a: 1 });
  for (const value of ["text", 1, null, [1]]) expect(structuredContentOf(value)).toBeUndefined();
  expect(structuredContentOf({ content: [], structuredContent: [1] })).toBeUndefined();
});
