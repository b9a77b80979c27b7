import { expect, test } from "vitest";
import { toModelOutput } from "./tool-output";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const image = { type: "image", data: base64("png"), mimeType: "image/png" };
const text = { type: "text", text: "Look:" };

test("text is text, JSON is JSON, and errors are marked", () => {
  expect(toModelOutput("as it is", false)).toEqual({ type: "text", value: "as it is" });
  expect(toModelOutput({ a: 1 }, false)).toEqual({ type: "json", value: { a: 1 } });
  expect(toModelOutput({ a: 1 }, true)).toEqual({ type: "error-json", value: { a: 1 } });
  expect(toModelOutput({ content: [] }, false)).toEqual({ type: "json", value: { content: [] } });
});

test("an image reaches the model as its bytes", () => {
  expect(toModelOutput({ content: [text, image] }, false)).toEqual({
    type: "content",
    value: [
      { type: "text", text: "Look:" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: image.data } },
    ],
  });
});

test.each([
  ["a text file", { type: "file", data: base64("a,b"), mimeType: "text/csv" }, "a,b"],
  ["a resource's text", { type: "resource", resource: { uri: "x:1", text: "hi" } }, "hi"],
  [
    "another file, named",
    { type: "file", data: base64("%PDF"), mimeType: "application/pdf", name: "a.pdf" },
    "[a.pdf: 4 bytes of application/pdf]",
  ],
  [
    "a resource's bytes, named",
    { type: "resource", resource: { uri: "x:1", blob: base64("123") } },
    "[x:1: 3 bytes of application/octet-stream]",
  ],
])("%s is text for the model", (_name, item, shown) => {
  expect(toModelOutput({ content: [item] }, false)).toEqual({ type: "text", value: shown });
});

test("an error's content is its text alone", () => {
  const output = { type: "error-text", value: "Look:" };
  expect(toModelOutput({ content: [text, image], isError: true }, true)).toEqual(output);
});

test("the model sees at most 32 KiB of text", () => {
  const whole = "x".repeat(32 * 1024);
  expect(toModelOutput(whole, false)).toEqual({ type: "text", value: whole });
  const { value } = toModelOutput(`${whole}y`, false) as { value: string };
  expect(value).toBe(`${whole}\n[The first 32768 of 32769 bytes.]`);
});
