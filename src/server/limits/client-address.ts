import ipaddr from "ipaddr.js";
import { platform } from "../platform/platform";

type Address = ReturnType<typeof ipaddr.process>;
type Range = [Address, number];

const parseAddress = (text: string): Address | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

function parseRange(text: string): Range {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

const inRange = (address: Address, [base, bits]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/**
 * The address of the client: the connection's own, unless that is a trusted proxy; then the
 * right-most forwarded address that is not a trusted proxy.
 * @param remote address of the TCP connection
 * @param forwardedFor value of `X-Forwarded-For`, if any
 * @param trustedProxies comma-separated addresses and CIDR ranges (`BERTH_TRUSTED_PROXIES`)
 * @throws Error when `trustedProxies` holds something that is no address or range
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | undefined,
  trustedProxies: string = platform().env.BERTH_TRUSTED_PROXIES,
): string {
  const own = parseAddress(remote);
  const ranges = trustedProxies
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseRange);
  const isTrusted = (address: Address) => ranges.some((range) => inRange(address, range));
  if (!own || !forwardedFor || !isTrusted(own)) return own?.toString() ?? remote;
  let client = own;
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = parseAddress(hop.trim());
    if (!address) break;
    client = address;
    if (!isTrusted(address)) break;
  }
  return client.toString();
}
