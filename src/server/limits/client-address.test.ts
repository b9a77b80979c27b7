import { expect, test } from "vitest";
import { clientAddress } from "./client-address";

test("a forwarded address counts only from a trusted proxy", () => {
  expect(clientAddress("203.0.113.9", "10.1.1.1", "")).toBe("203.0.113.9");
  expect(clientAddress("203.0.113.9", "10.1.1.1", "10.0.0.0/8")).toBe("203.0.113.9");
  expect(clientAddress("10.0.0.1", "198.51.100.7", "10.0.0.0/8")).toBe("198.51.100.7");
});

test("the right-most address that is no proxy wins, so a client cannot invent one", () => {
  const trusted = "10.0.0.0/8, ::1";
  expect(clientAddress("10.0.0.1", "1.2.3.4, 198.51.100.7, 10.0.0.2", trusted)).toBe(
    "198.51.100.7",
  );
  expect(clientAddress("::1", "10.0.0.3", trusted)).toBe("10.0.0.3");
  expect(clientAddress("10.0.0.1", "1.2.3.4, nonsense", trusted)).toBe("10.0.0.1");
});

test("an IPv4 address inside IPv6 is the IPv4 address", () => {
  expect(clientAddress("::ffff:127.0.0.1", undefined, "")).toBe("127.0.0.1");
  expect(clientAddress("::ffff:127.0.0.1", "192.0.2.1", "127.0.0.1")).toBe("192.0.2.1");
});

test("a wrong list of proxies is refused", () => {
  expect(() => clientAddress("127.0.0.1", "192.0.2.1", "localhost")).toThrow();
});
