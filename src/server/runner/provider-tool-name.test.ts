import { expect, test } from "vitest";
import { providerToolName } from "./provider-tool-name";

test("names that every provider takes stay as they are", () => {
  for (const name of ["get-weather", "a_b", "x".repeat(64)])
    expect(providerToolName(name)).toBe(name);
});

test("different names never become one", () => {
  const names = ["a.b", "a_u2e_b", "a b", "a_b", "a-b", "ä", "x".repeat(65), `${"x".repeat(65)}y`];
  const safe = names.map(providerToolName);
  expect(new Set(safe).size).toBe(names.length);
  for (const name of safe) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
