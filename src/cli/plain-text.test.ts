import { expect, it } from "vitest";
import { slugFrom } from "./agent-slug";
import { jsonText, wantsColor } from "./output";
import { plainText } from "./plain-text";

it.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["a\u009b2Jb", "ab"],
  ["one\rtwo\b\u0000", "onetwo"],
  ["tab\tline\nä😀", "tab\tline\nä😀"],
  ["abc\u202edef", "abcdef"],
])("makes %j plain", (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it("escapes in JSON what terminals act on, and stays the same value", () => {
  const text = jsonText({ a: "\u001b[2J\u009b2J\u007f" });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(JSON.parse(text)).toEqual({ a: "\u001b[2J\u009b2J\u007f" });
});

it.each([
  ["@scope/my agent!", "my-agent"],
  ["--a--b--", "a-b"],
  ["Weather_Bot", "Weather_Bot"],
  ["日本", ""],
])("makes a slug of %j", (name, slug) => {
  expect(slugFrom(name)).toBe(slug);
});

it("colours a terminal only, unless NO_COLOR or FORCE_COLOR say otherwise", () => {
  const [tty, pipe] = [{ isTTY: true }, { isTTY: false }];
  expect(wantsColor(tty, {})).toBe(true);
  expect(wantsColor(pipe, {})).toBe(false);
  expect(wantsColor(tty, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColor(tty, { TERM: "dumb" })).toBe(false);
  expect(wantsColor(pipe, { FORCE_COLOR: "1" })).toBe(true);
});
