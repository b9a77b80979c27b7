import fc from "fast-check";
import { expect, test } from "vitest";
import { newId } from "../platform/id";
import { newApiKeyToken, parseApiKeyToken } from "./api-key-token";

test("a token leads back to its row and to the hash of its secret", () => {
  for (let i = 0; i < 50; i += 1) {
    const keyId = newId("key");
    const { token, hash } = newApiKeyToken(keyId);
    expect(token).toMatch(/^bth_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
    expect(parseApiKeyToken(token)).toEqual({ keyId, hash });
  }
});

test("any one changed character is noticed without a look-up", () => {
  const { token } = newApiKeyToken(newId("key"));
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...digits), (at, digit) => {
      const other = token.slice(0, at) + digit + token.slice(at + 1);
      fc.pre(other !== token);
      expect(parseApiKeyToken(other)).toBeUndefined();
    }),
  );
});

test("what is no token is no token", () => {
  for (const text of ["", "bth_", "bth_a_b", `bth_${"z".repeat(22)}_${"0".repeat(49)}`, "\0"]) {
    expect(parseApiKeyToken(text)).toBeUndefined();
  }
});
