import ipaddr from "ipaddr.js";

const parse = (address: string) =>
  ipaddr.isValid(address) ? ipaddr.process(address) : undefined;

function inRange(address: string, range: string): boolean {
  const parsed = parse(address);
  if (!parsed) return false;
  if (!range.includes("/")) return parsed.toString() === parse(range)?.toString();
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === parsed.kind() && parsed.match(network, bits);
}

/**
 * The client's address: the connection's, or, as far as the chain of proxies is trusted, the last
 * one of `X-Forwarded-For` that no trusted proxy has.
 * @param trusted comma-separated addresses and CIDR ranges
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: string,
): string | null {
  if (peer === undefined) return null;
  const ranges = trusted.split(",").flatMap((range) => range.trim() || []);
  const isTrusted = (address: string) => ranges.some((range) => inRange(address, range));
  const chain = (forwardedFor ?? "").split(",").flatMap((address) => address.trim() || []);
  let current = peer;
  while (isTrusted(current)) {
    const previous = chain.pop();
    if (previous === undefined || !parse(previous)) break;
    current = previous;
  }
  return parse(current)?.toString() ?? current;
}
