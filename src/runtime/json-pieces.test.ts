import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces";

test("all pieces together are the value's JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 2, max: 40 }), (value, size) => {
      expect([...jsonPieces(value, size)].join("")).toBe(JSON.stringify(value));
    }),
  );
});

test.each([[undefined], [() => 1]])("%s is null, as in a list", (value) => {
  expect([...jsonPieces(value, 10)].join("")).toBe("null");
});

test("no piece holds more than its share of a long string", () => {
  const longest = Math.max(...[...jsonPieces({ text: "x".repeat(1000) }, 16)].map((p) => p.length));
  expect(longest).toBeLessThanOrEqual(16);
});

test("a pair of surrogates stays in one piece", () => {
  const pieces = [...jsonPieces(`a${"😀".repeat(100)}`, 10)];
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  expect(JSON.parse(pieces.join(""))).toBe(`a${"😀".repeat(100)}`);
});
