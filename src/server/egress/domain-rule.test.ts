import { expect, test } from "vitest";
import { isHostName, matchDomain, normaliseHost, parseDomainRule } from "./domain-rule";

const rules = ["api.test", "*.wild.test", "db.test:5432", "UPPER.test.", "10.0.0.5:8080"].map(
  (line) => parseDomainRule(line)!,
);

test.each([
  ["api.test", 443, "allowed"],
  ["api.test", 80, "allowed"],
  ["API.Test.", 443, "allowed"],
  ["upper.test", 443, "allowed"],
  ["a.wild.test", 443, "allowed"],
  ["a.b.wild.test", 443, "allowed"],
  ["db.test", 5432, "allowed"],
  ["10.0.0.5", 8080, "allowed"],
  ["db.test", 443, "port"],
  ["api.test", 8443, "port"],
  ["wild.test", 443, "host"],
  ["xwild.test", 443, "host"],
  ["xapi.test", 443, "host"],
  ["api.test.evil.test", 443, "host"],
  ["a.api.test", 443, "host"],
])("%s:%i is %s", (host, port, expected) => {
  expect(matchDomain(rules, normaliseHost(host), port)).toBe(expected);
});

test.each([
  "",
  "*",
  "*.",
  "a..b",
  "http://a.test",
  "a.test/",
  "a.test:0",
  "a.test:70000",
  "*.1.2.3.4",
  "a b",
  "-a.test",
])("%j is no rule", (line) => {
  expect(parseDomainRule(line)).toBeUndefined();
});

test.each([
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "127.0.0.1",
  "::1",
  "1.2.3.4.",
  "a".repeat(64),
  `${"a.".repeat(130)}a`,
])("%s is no host name", (host) => {
  expect(isHostName(normaliseHost(host))).toBe(false);
});
