import { expect, test } from "vitest";
import { prompt } from "./prompt";

test("removes the common indentation and the newline after the opening backtick", () => {
  expect(prompt`
    First.
      - nested

    Last.
  `).toBe("First.\n  - nested\n\nLast.");
});

test("keeps a text of one line as it is and fills in values", () => {
  expect(prompt`a ${1} b ${"c"}`).toBe("a 1 b c");
  expect(prompt`${"x"}${"y"}`).toBe("xy");
});

test("interpolated lines indented like the body stay aligned", () => {
  const list = "- one\n    - two";
  expect(prompt`
    Services:
    ${list}
  `).toBe("Services:\n- one\n- two");
});

test("prompt.lines answers one entry per line", () => {
  expect(prompt.lines`
    Merged: ${"url"}

    Next.
  `).toEqual(["Merged: url", "", "Next."]);
});
