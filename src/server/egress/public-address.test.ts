import { expect, test } from "vitest";
import { addressWithin, isMetadataAddress, isPublicAddress } from "./public-address";

test.each(["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::1"])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "::",
  "::1",
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:1.1.1.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001:db8::1",
  "2001::1",
  "3fff::1",
  "127.1",
  "0x7f000001",
  "2130706433",
  "localhost",
  "",
])("%j is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "169.254.169.254",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::1",
  "fd00:ec2::254",
  "100.100.100.200",
])("%s is a metadata address", (address) => {
  expect(isMetadataAddress(address)).toBe(true);
});

test("ranges hold what lies in them and nothing of the other family", () => {
  expect(addressWithin("10.2.3.4", "10.2.0.0/16")).toBe(true);
  expect(addressWithin("10.3.3.4", "10.2.0.0/16")).toBe(false);
  expect(addressWithin("::1", "0:0:0:0:0:0:0:1")).toBe(true);
  expect(addressWithin("127.0.0.1", "::/0")).toBe(false);
});
