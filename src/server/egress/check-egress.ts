import type { EgressDenial, EgressRules, PrivateTarget } from "../../protocol/gateway-control";
import {
  type DomainRule,
  isAddress,
  isHostName,
  matchDomain,
  normaliseHost,
  parseDomainRule,
} from "./domain-rule";
import { isOpened } from "./private-targets";
import { type DialTarget, PrivateTargetError, type Resolve, resolveTarget } from "./resolve-target";

/** A sandbox asked for something its rules do not allow. */
export class EgressDenied extends Error {
  override readonly name = "EgressDenied";
  constructor(readonly denial: EgressDenial) {
    super(denial.reason);
  }
}

export interface EgressPolicy {
  rules: readonly DomainRule[];
  targets: readonly PrivateTarget[];
  /** The operator wrote the rules: what they name may be anywhere but at a metadata address. */
  byOperator?: boolean;
  resolve?: Resolve;
}

const EVERYWHERE: readonly PrivateTarget[] = ["0.0.0.0/0", "::/0"].map((address) => ({
  purpose: "sandbox",
  address,
}));

const openedBy = ({ byOperator, targets }: EgressPolicy): readonly PrivateTarget[] =>
  byOperator ? [...targets, ...EVERYWHERE] : targets;

/** Rules as compared; lines that are no rule allow nothing. */
export const compileRules = (rules: EgressRules): DomainRule[] =>
  rules.domains.flatMap((line) => parseDomainRule(line) ?? []);

const WEB_PORTS = [80, 443];

function allowLine(host: string, port: number): string {
  return WEB_PORTS.includes(port) ? host : `${host}:${port}`;
}

function checkRules(host: string, port: number, policy: EgressPolicy): void {
  const deny = (reason: string, line?: string): never => {
    throw new EgressDenied({ host, port, reason, ...(line ? { allowLine: line } : {}) });
  };
  const opened = isAddress(host) && isOpened(openedBy(policy), host, port);
  if (!isHostName(host) && !opened) deny("IP addresses and malformed hosts are not allowed");
  const match = matchDomain(policy.rules, host, port);
  const line = allowLine(host, port);
  if (match === "host") deny(`${host} is not in hosting.egressDomains`, line);
  if (match === "port") deny(`port ${port} of ${host} is not in hosting.egressDomains`, line);
}

/**
 * Where a sandbox's connection to `host:port` may go. Throws EgressDenied for what the rules or
 * the address guard refuse, ResolveError for a name without an answer.
 */
export async function checkEgress(
  written: string,
  port: number,
  policy: EgressPolicy,
): Promise<DialTarget> {
  const host = normaliseHost(written);
  checkRules(host, port, policy);
  try {
    return await resolveTarget(host, port, openedBy(policy), policy.resolve);
  } catch (error) {
    if (!(error instanceof PrivateTargetError)) throw error;
    throw new EgressDenied({ host, port, reason: `${host} resolves to a non-public address` });
  }
}
