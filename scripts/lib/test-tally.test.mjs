import { expect, test } from "vitest";
import { tally } from "./test-tally.mjs";

const assertion = (status, fullName = status) => ({ status, fullName });
const file = (status, ...assertionResults) => ({ name: "x.test.ts", status, assertionResults });

test("counts tests by outcome over all files", () => {
  const counts = tally({
    testResults: [
      file("passed", assertion("passed"), assertion("skipped")),
      file("failed", assertion("passed"), assertion("failed")),
    ],
  });
  expect(counts).toMatchObject({ passed: 2, failed: 1, skipped: 1 });
});

test("a file that did not load is a failure", () => {
  expect(tally({ testResults: [file("failed")] })).toMatchObject({ passed: 0, failed: 1 });
});

test("only the declared skip is acceptable", () => {
  const skips = [
    assertion("skipped", "limits [needs a memory cgroup]"),
    assertion("todo", "later"),
  ];
  expect(tally({ testResults: [file("passed", ...skips)] }).undeclared).toEqual(["later"]);
});
