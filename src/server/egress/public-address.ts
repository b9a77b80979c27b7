import ipaddr from "ipaddr.js";

/** Ranges inside global unicast that lead elsewhere or nowhere. */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Where clouds keep the credentials of the machine. Never reachable, whoever asks. */
const METADATA = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
  "fd00:ec2::/32",
  "fd20:ce::/64",
].map((range) => ipaddr.parseCIDR(range));

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}

const inRange = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  range: [ipaddr.IPv4 | ipaddr.IPv6, number],
): boolean => address.kind() === range[0].kind() && address.match(range as never);

/** Whether an address, in its usual notation, belongs to the public internet. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined || isMetadataAddress(text)) return false;
  if (address instanceof ipaddr.IPv4) return address.range() === "unicast";
  return address.match(GLOBAL_V6) && !SPECIAL_V6.some((range) => address.match(range));
}

/** The IPv4 address inside a mapped, NAT64 or 6to4 one. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const parts = address.parts;
  const high = address.range() === "6to4" ? parts[1] : parts[6];
  const low = address.range() === "6to4" ? parts[2] : parts[7];
  if (!["ipv4Mapped", "rfc6145", "rfc6052", "6to4"].includes(address.range())) return undefined;
  if (high === undefined || low === undefined) return undefined;
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}

/** Whether an address is a cloud's metadata service, written plainly or inside an IPv6 one. */
export function isMetadataAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined) return false;
  const inner = address instanceof ipaddr.IPv6 ? (embedded(address) ?? address) : address;
  return METADATA.some((range) => inRange(inner, range));
}

/** Whether `address` is the one named or lies in the range named. */
export function addressWithin(address: string, range: string): boolean {
  const parsed = parse(address);
  if (parsed === undefined) return false;
  if (!range.includes("/")) return parse(range)?.toString() === parsed.toString();
  return ipaddr.isValidCIDR(range) && inRange(parsed, ipaddr.parseCIDR(range));
}
