import { expect, test } from "vitest";
import { checkEgress, compileRules, type EgressPolicy } from "./check-egress";
import { parsePrivateTargets } from "./private-targets";

const ADDRESSES: Record<string, string[]> = {
  "api.test": ["1.1.1.1"],
  "mixed.test": ["10.0.0.1", "1.1.1.2"],
  "rebind.test": ["127.0.0.1"],
  "meta.test": ["169.254.169.254"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "inner.test": ["10.9.0.1"],
};
let asked: string[] = [];

const policy = (privateTargets = ""): EgressPolicy => ({
  rules: compileRules({ domains: [...Object.keys(ADDRESSES), "gone.test", "127.0.0.1:9000"] }),
  targets: parsePrivateTargets(privateTargets),
  resolve: (host) => {
    asked.push(host);
    const found = ADDRESSES[host];
    if (!found) return Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" }));
    return Promise.resolve(found.map((address) => ({ address })));
  },
});

test("an allowed name is resolved once and its checked address is what is dialled", async () => {
  asked = [];
  expect(await checkEgress("API.test.", 443, policy())).toEqual({ address: "1.1.1.1", port: 443 });
  expect(asked).toEqual(["api.test"]);
  expect(await checkEgress("mixed.test", 443, policy())).toMatchObject({ address: "1.1.1.2" });
});

test.each(["rebind.test", "meta.test", "mapped.test", "nat64.test"])(
  "%s resolves to where nobody may go",
  async (host) => {
    await expect(checkEgress(host, 443, policy())).rejects.toMatchObject({
      denial: { host, reason: `${host} resolves to a non-public address` },
    });
  },
);

test("a refused name is not even resolved, and the line to add is named", async () => {
  asked = [];
  await expect(checkEgress("other.test", 8443, policy())).rejects.toMatchObject({
    denial: { host: "other.test", port: 8443, allowLine: "other.test:8443" },
  });
  await expect(checkEgress("api.test", 22, policy())).rejects.toMatchObject({
    denial: { allowLine: "api.test:22" },
  });
  expect(asked).toEqual([]);
});

test("private addresses open only where both the rules and the operator say so", async () => {
  const opened = policy(
    "sandbox=10.9.0.0/16:443,sandbox=127.0.0.1:9000,sandbox=api.test@127.0.0.1:1",
  );
  expect(await checkEgress("inner.test", 443, opened)).toMatchObject({ address: "10.9.0.1" });
  await expect(checkEgress("inner.test", 80, opened)).rejects.toThrow("non-public");
  expect(await checkEgress("127.0.0.1", 9000, opened)).toEqual({
    address: "127.0.0.1",
    port: 9000,
  });
  await expect(checkEgress("127.0.0.1", 9000, policy())).rejects.toThrow("IP addresses");
  expect(await checkEgress("api.test", 443, opened)).toEqual({ address: "127.0.0.1", port: 1 });
});

test("what the operator named may be private, but no metadata address", async () => {
  const trusted = { ...policy(), byOperator: true };
  expect(await checkEgress("inner.test", 443, trusted)).toMatchObject({ address: "10.9.0.1" });
  expect(await checkEgress("127.0.0.1", 9000, trusted)).toMatchObject({ address: "127.0.0.1" });
  await expect(checkEgress("127.0.0.1", 9001, trusted)).rejects.toThrow("not in hosting");
  await expect(checkEgress("meta.test", 443, trusted)).rejects.toThrow("non-public");
});

test("a name without an answer is not a refusal", async () => {
  await expect(checkEgress("gone.test", 443, policy())).rejects.toMatchObject({
    name: "ResolveError",
    code: "ENOTFOUND",
  });
});
