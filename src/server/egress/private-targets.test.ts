import { expect, test } from "vitest";
import { isOpened, parsePrivateTargets, targetsFor } from "./private-targets";

test("addresses, ranges, ports and names are read", () => {
  const text =
    "models=127.0.0.1:11434, mcp=10.2.0.0/16:443,otlp=[fd12::1]:4318,webhook=10.0.0.9,sandbox=api.test@127.0.0.1:8080";
  expect(parsePrivateTargets(text)).toEqual([
    { purpose: "models", address: "127.0.0.1", port: 11434 },
    { purpose: "mcp", address: "10.2.0.0/16", port: 443 },
    { purpose: "otlp", address: "fd12::1", port: 4318 },
    { purpose: "webhook", address: "10.0.0.9" },
    { purpose: "sandbox", host: "api.test", address: "127.0.0.1", port: 8080 },
  ]);
  expect(parsePrivateTargets("")).toEqual([]);
});

test.each([
  ["127.0.0.1:1", "does not start with one of"],
  ["games=127.0.0.1:1", "does not start with one of"],
  ["models=localhost:1", "names no IP address"],
  ["models=127.1:1", "names no IP address"],
  ["models=127.0.0.1:0", "bad port"],
  ["models=169.254.169.254:80", "metadata"],
  ["sandbox=a b@127.0.0.1", "one name to one address"],
  ["sandbox=a.test@10.0.0.0/8", "one name to one address"],
])("%s is refused: %s", (entry, why) => {
  expect(() => parsePrivateTargets(entry)).toThrow(why);
  expect(() => parsePrivateTargets(entry)).toThrow(entry);
});

test("a target opens its purpose, address and port only, and never metadata", () => {
  const targets = parsePrivateTargets("models=127.0.0.1:11434,mcp=169.0.0.0/8");
  const models = targetsFor(targets, "models");
  expect(isOpened(models, "127.0.0.1", 11434)).toBe(true);
  expect(isOpened(models, "127.0.0.1", 5432)).toBe(false);
  expect(isOpened(models, "127.0.0.2", 11434)).toBe(false);
  expect(isOpened(targetsFor(targets, "otlp"), "127.0.0.1", 11434)).toBe(false);
  expect(isOpened(targetsFor(targets, "mcp"), "169.254.169.254", 80)).toBe(false);
});
