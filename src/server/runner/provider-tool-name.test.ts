import fc from "fast-check";
import { expect, test } from "vitest";
import { providerToolName } from "./provider-tool-name";

const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

test("names that every provider takes stay as they are", () => {
  for (const name of ["get-weather", "a_b", "ext__tool", "_x", "x".repeat(64)])
    expect(providerToolName(name)).toBe(name);
});

test("other names become safe", () => {
  expect(providerToolName("ext.tool")).toBe("ext_u2e_tool");
  expect(providerToolName("2fa")).toBe("_u32_fa");
  expect(providerToolName("x".repeat(65))).toMatch(/^x{47}_[0-9a-f]{16}$/);
});

test("every name of up to six hard characters has its own safe name", () => {
  const seen = new Set<string>();
  let names = [""];
  for (let length = 1; length <= 6; length++) {
    names = names.flatMap((name) => ["_", "u", "2", "5", "f", "."].map((char) => name + char));
    for (const name of names) seen.add(providerToolName(name));
  }
  expect(seen.size).toBe(6 + 36 + 216 + 1_296 + 7_776 + 46_656);
});

const hard = fc.string({
  unit: fc.constantFrom("_", "u", "2", "e", "-", ".", "\u0002"),
  minLength: 1,
});
const long = fc
  .tuple(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 30 }))
  .map(([part, times]) => part.repeat(times));
const anyName = fc.oneof(hard, long, fc.string({ minLength: 1, unit: "binary" }));

test("different names never become one, whatever they are", () => {
  fc.assert(
    fc.property(anyName, anyName, (one, other) => {
      const names = [providerToolName(one), providerToolName(other)];
      for (const name of names) expect(name).toMatch(SAFE);
      expect(names[0] === names[1]).toBe(one === other);
    }),
    { numRuns: 2_000 },
  );
});

test("a name that looks like another's hashed name is not taken for it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 65, maxLength: 200 }), (name) => {
      const taken = providerToolName(name);
      expect(providerToolName(taken)).not.toBe(taken);
    }),
  );
});
