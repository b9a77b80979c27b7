/**
 * Owns what may be reached from here: allow-list matching, the public-address guard, the
 * operator's private targets, the checked connection of the platform's own requests, and the
 * gateway process that carries the sandboxes' traffic.
 * Never decides for a tenant which hosts it may use, and never resolves a name twice.
 */
export { checkEgress, compileRules, EgressDenied } from "./check-egress";
export { parseDomainRule } from "./domain-rule";
export {
  createOutboundGuard,
  type OutboundGuard,
  type OutboundGuardOptions,
} from "./guarded-fetch";
export { parsePrivateTargets, type TargetPurpose } from "./private-targets";
export { type DialTarget, PrivateTargetError, type Resolve, ResolveError } from "./resolve-target";
export { type Gateway, type GatewayOptions, startGateway } from "./start-gateway";
