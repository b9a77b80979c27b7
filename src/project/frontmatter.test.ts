import { expect, test } from "vitest";
import { readFrontmatter } from "./frontmatter";

const read = (text: string) => readFrontmatter("a.md", text);

test("data and body are split, with either kind of line end", () => {
  expect(read("---\na: 1\n---\n\nBody\n")).toEqual({
    data: { a: 1 },
    body: "Body",
    diagnostics: [],
  });
  expect(read("---\r\na: x\r\n---\r\nBody").data).toEqual({ a: "x" });
  expect(read("---\n---\nBody")).toEqual({ data: {}, body: "Body", diagnostics: [] });
  expect(read("No frontmatter").body).toBe("No frontmatter");
});

test("aliases are refused, so that they cannot grow", () => {
  const bomb = ["---", "a: &a [1, 2]", "b: &b [*a, *a]", "c: [*b, *b]", "---", ""].join("\n");
  const { data, diagnostics } = read(bomb);
  expect(data).toEqual({});
  expect(diagnostics[0]?.message).toContain("aliases are not allowed");
});

test("tags and prototypes give no objects of other kinds", () => {
  expect(read("---\na: !!js/function 'x'\n---\n").diagnostics).toHaveLength(1);
  expect(read("---\na: !!binary aGk=\n---\n").diagnostics).toHaveLength(1);
  const { data } = read("---\n__proto__: { polluted: 1 }\n---\n");
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
});

test("frontmatter that is no table, or too large, is refused", () => {
  expect(read("---\n- a\n---\n").diagnostics[0]?.code).toBe("invalid_frontmatter");
  expect(read(`---\na: ${"x".repeat(20_000)}\n---\n`).diagnostics[0]?.message).toContain("16 KiB");
});
