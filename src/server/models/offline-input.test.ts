import { expect, test } from "vitest";
import { inputFor } from "./offline-input";

const schema = (member: object) => ({ properties: { it: member }, required: ["it"] });

test.each([
  [
    "an address, without what ends the sentence",
    { type: "string", format: "uri" },
    "Approve https://a.test/pull/42.",
    "https://a.test/pull/42",
  ],
  [
    "what comes last where there is no address",
    { type: "string", format: "uri" },
    "Look at that",
    "that",
  ],
  [
    "one of the choices that the message names",
    { type: "string", enum: ["red", "blue"] },
    "the Blue one",
    "blue",
  ],
  ["a number", { type: "number" }, "seven, or -7.5 of them", -7.5],
  ["yes, unless it is denied", { type: "boolean" }, "without logs", false],
])("an input is filled with %s", (_, member, message, value) => {
  expect(inputFor(schema(member), message)).toEqual({ it: value });
});
