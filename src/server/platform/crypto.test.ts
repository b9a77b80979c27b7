import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { equalBytes, randomBase62, seal, unseal } from "./crypto";

describe("seal", () => {
  const key = randomBytes(32);
  const sealed = seal(key, Buffer.from("value"), "org_a|*|NAME|1");

  it("opens with the same key and place", () => {
    expect(unseal(key, sealed, "org_a|*|NAME|1").toString()).toBe("value");
  });

  it("does not open in another place, with another key, or when a bit changed", () => {
    expect(() => unseal(key, sealed, "org_b|*|NAME|1")).toThrow();
    expect(() => unseal(randomBytes(32), sealed, "org_a|*|NAME|1")).toThrow();
    const flipped = Buffer.from(sealed);
    flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
    expect(() => unseal(key, flipped, "org_a|*|NAME|1")).toThrow();
  });

  it("never gives the same bytes twice", () => {
    expect(seal(key, Buffer.from("value"), "x").equals(seal(key, Buffer.from("value"), "x"))).toBe(
      false,
    );
  });
});

describe("randomBase62", () => {
  it("has the length asked for and only base62 characters", () => {
    expect(randomBase62(43)).toMatch(/^[0-9A-Za-z]{43}$/);
  });
});

describe("equalBytes", () => {
  it("compares contents and length", () => {
    expect(equalBytes(Buffer.from("ab"), Buffer.from("ab"))).toBe(true);
    expect(equalBytes(Buffer.from("ab"), Buffer.from("ac"))).toBe(false);
    expect(equalBytes(Buffer.from("ab"), Buffer.from("abc"))).toBe(false);
  });
});
