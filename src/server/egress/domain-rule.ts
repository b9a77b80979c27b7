import ipaddr from "ipaddr.js";

/** One line of an allow-list: an exact host or everything below a suffix, on certain ports. */
export interface DomainRule {
  host: string;
  wildcard: boolean;
  ports: readonly number[];
}

const WEB_PORTS = [80, 443];
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`);
const NUMERIC = /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*$/;
const MAX_HOST = 253;

/** A host in the form that is compared: lower case, no trailing dot, no brackets. */
export function normaliseHost(host: string): string {
  const lower = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Whether it is a name; addresses in any notation (decimal, hex, octal, short) are not. */
export const isHostName = (host: string): boolean =>
  host.length <= MAX_HOST && HOST_NAME.test(host) && !NUMERIC.test(host);

/** Whether it is an IPv4 or IPv6 address in the one usual notation. */
export const isAddress = (host: string): boolean =>
  ipaddr.IPv6.isValid(host) || ipaddr.IPv4.isValidFourPartDecimal(host);

function splitPort(line: string): { host: string; port?: number } {
  const found = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(line);
  if (!found?.[1]) return { host: line };
  return { host: found[1], port: Number(found[2]) };
}

/** Reads `host`, `*.host` or `host:port`; `undefined` when the line is none of them. */
export function parseDomainRule(line: string): DomainRule | undefined {
  const { host: written, port } = splitPort(line.trim());
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const wildcard = written.startsWith("*.");
  const host = normaliseHost(wildcard ? written.slice(2) : written);
  if (!isHostName(host) && (wildcard || !isAddress(host))) return undefined;
  return { host, wildcard, ports: port === undefined ? WEB_PORTS : [port] };
}

const hostMatches = (rule: DomainRule, host: string): boolean =>
  rule.wildcard ? host.endsWith(`.${rule.host}`) : rule.host === host;

export type DomainMatch = "allowed" | "port" | "host";

/** `allowed`, or which part no rule covers. The host must be normalised. */
export function matchDomain(rules: readonly DomainRule[], host: string, port: number): DomainMatch {
  const forHost = rules.filter((rule) => hostMatches(rule, host));
  if (forHost.length === 0) return "host";
  return forHost.some((rule) => rule.ports.includes(port)) ? "allowed" : "port";
}
