import { expect, test } from "vitest";
import { approvalHash } from "./approval-hash";

const call = {
  toolName: "promote",
  input: { to: "production", build: { id: 7, tags: ["a", "b"] } },
};
const hash = approvalHash({ ...call, version: 1 });

test("the order of keys does not matter, at any depth", () => {
  const input = { build: { tags: ["a", "b"], id: 7 }, to: "production" };
  expect(approvalHash({ ...call, input, version: 1 })).toBe(hash);
});

test.each([
  ["another tool", { toolName: "promote2" }],
  ["another version", { version: 2 }],
  ["another value", { input: { ...call.input, to: "staging" } }],
  ["another order of a list", { input: { ...call.input, build: { id: 7, tags: ["b", "a"] } } }],
  ["a missing member", { input: { to: "production" } }],
  ["a number as text", { input: { ...call.input, build: { id: "7", tags: ["a", "b"] } } }],
])("%s is another hash", (_name, change) => {
  expect(approvalHash({ ...call, version: 1, ...change })).not.toBe(hash);
});
