import { expect, test } from "vitest";
import { cronProblem, nextDue } from "./cron";

const from = new Date("2026-03-01T12:00:30Z");

test.each([
  "* * * * *",
  "*/30 * * * *",
  "0 9 * * 1-5",
  "0 9 * JAN-mar MON,WED",
  "0 0 29 2 *",
  "5,10-20/2 0 1 1 0",
  "0 0 * * 7",
])("%s is accepted", (expression) => {
  expect(cronProblem(expression, from)).toBeUndefined();
});

test.each([
  "",
  "* * * *",
  "0 * * * * *",
  "@daily",
  "H * * * *",
  "0 0 L * *",
  "0 0 15W * *",
  "0 0 * * 1#2",
  "0 0 ? * *",
  "60 * * * *",
  "0 24 * * *",
  "0 0 * 13 *",
  "0 0 * * 8",
  "0 0 31 2 *",
  "0 0 * MON *",
  "0 0 * * FEB",
  "*/0 * * * *",
  "0 0 * * FOO",
])("%j is refused", (expression) => {
  expect(cronProblem(expression, from)).toEqual(expect.any(String));
});

test("due instants are UTC and in order", () => {
  expect(nextDue("0 9 * * 1-5", from, 3).map((due) => due.toISOString())).toEqual([
    "2026-03-02T09:00:00.000Z",
    "2026-03-03T09:00:00.000Z",
    "2026-03-04T09:00:00.000Z",
  ]);
});
