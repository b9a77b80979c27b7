/**
 * Owns what may be reached from here: allow-list matching, the public-address guard, the
 * operator's private targets, the checked connection of the platform's own requests, and the
 * gateway process that carries the sandboxes' traffic.
 * Never decides for a tenant which hosts it may use, and never resolves a name twice.
 */
export { checkEgress, compileRules, EgressDenied } from "./check-egress";

export { createOutboundGuard } from "./guarded-fetch";
export { parsePrivateTargets } from "./private-targets";
export { type DialTarget, PrivateTargetError, type Resolve, ResolveError } from "./resolve-target";
export { type Gateway, startGateway } from "./start-gateway";
