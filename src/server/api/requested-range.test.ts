import { expect, test } from "vitest";
import { requestedRange } from "./requested-range";

test.each([
  [null, undefined],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=2-5", { start: 2, end: 5 }],
  ["bytes=2-", { start: 2, end: 9 }],
  ["bytes=9-99", { start: 9, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-99", { start: 0, end: 9 }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=5-2", undefined],
  ["bytes=0-1,3-4", undefined],
  ["bytes=-", undefined],
  ["lines=0-1", undefined],
])("%s of 10 bytes is %j", (header, range) => {
  expect(requestedRange(header, 10)).toEqual(range);
});

test.each(["bytes=0-", "bytes=-1"])("%s of no bytes cannot be answered", (header) => {
  expect(requestedRange(header, 0)).toBe("unsatisfiable");
});
