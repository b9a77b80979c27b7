import type { FoundAgent } from "../agents";
import type { KeyScope } from "../idempotency";
import { actorKey, type Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import type { Caller } from "../tenancy";
import type { Arrival } from "./arrival";
import type { Route } from "./route";

const KEY = /^[\x20-\x7e]{1,255}$/;
/** Stands for the org where a person acts outside of any. */
const NO_ORG = "none";

export interface Identity {
  caller: Caller | null;
  ctx?: Ctx;
  agent?: FoundAgent;
}

const principalOf = ({ caller, ctx }: Identity): string | undefined => {
  if (ctx) return actorKey(ctx.actor);
  if (caller?.kind === "user") return `user:${caller.userId}`;
  return caller ? `service:${caller.serviceAccountId}` : undefined;
};

/** The path without what is compared in another way than letter by letter: orgs' and agents' slugs. */
const pathOf = (route: Route, { pathParams }: Arrival, { agent }: Identity): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "org") return "";
    const value = pathParams[name] ?? "";
    return name === "agent" ? (agent?.id ?? value.toLowerCase()) : value;
  });

/**
 * The key under which a request happens once; `undefined` for reads, requests without one, and
 * below channels, whose deliveries have keys of their own. @throws AppError `invalid_request`.
 */
export function requestKey(
  route: Route,
  arrival: Arrival,
  identity: Identity,
): KeyScope | undefined {
  const key = arrival.request.headers.get("idempotency-key");
  if (key === null || route.method === "GET" || route.tenantAnswers) return undefined;
  const principal = principalOf(identity);
  if (principal === undefined) return undefined;
  if (!KEY.test(key)) {
    const message = "An Idempotency-Key is 1 to 255 printable ASCII characters.";
    throw new AppError("invalid_request", message, {
      details: { issues: [{ path: "Idempotency-Key", message }] },
    });
  }
  const orgId = identity.ctx?.orgId ?? NO_ORG;
  return { orgId, principal, method: route.method, path: pathOf(route, arrival, identity), key };
}
