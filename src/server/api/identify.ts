import { findAgent } from "../agents";
import { limitRate } from "../limits";
import type { Via } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { type Caller, ctxForCaller, findOrg, type RequestOrigin } from "../tenancy";
import type { Arrival } from "./arrival";
import { authenticate } from "./credentials";
import { surfaceOf } from "./error-answer";
import type { Route } from "./route";

const limitAnonymous = async (ip: string | null): Promise<void> => {
  if (ip !== null) await limitRate("anonymous", ip);
};

/** The caller, counted against its rate. Attempts without a valid credential count by address. */
export async function identify(
  { request, url, ip }: Arrival,
  options: { cookies: boolean } = { cookies: true },
): Promise<Caller> {
  const surface = surfaceOf(url.pathname);
  let caller: Caller;
  try {
    caller = await authenticate(request, { surface, ...options });
  } catch (error) {
    if (error instanceof AppError) await limitAnonymous(ip);
    throw error;
  }
  await limitRate("key", caller.kind === "key" ? caller.keyId : caller.sid);
  return caller;
}

function viaOf(caller: Caller, request: Request): Via {
  if (caller.kind === "user") return "ui";
  return request.headers.get("user-agent")?.startsWith("berth-cli") ? "cli" : "api";
}

async function inOrg(caller: Caller, arrival: Arrival, origin: RequestOrigin) {
  const org = await findOrg(arrival.pathParams.org ?? "");
  if (!org) throw notFound();
  return { caller, ctx: await ctxForCaller(caller, org.id, origin), orgSlug: org.slug };
}

async function atAgent(caller: Caller, arrival: Arrival, origin: RequestOrigin) {
  const { org = "", agent: slug = "" } = arrival.pathParams;
  const agent = await findAgent(org, slug);
  if (!agent) throw notFound();
  const ctx = await ctxForCaller(caller, agent.orgId, origin);
  if (ctx.onlyAgentId !== undefined && ctx.onlyAgentId !== agent.id) throw notFound();
  return { caller, ctx, orgSlug: agent.orgSlug, agent };
}

/**
 * The identity a route asks for.
 * @throws AppError `unauthenticated`; `not_found` for an org or agent that is not the caller's.
 */
export async function identifyFor(route: Route, arrival: Arrival): Promise<object> {
  const { request, requestId, ip } = arrival;
  if (route.auth === "none") {
    if (route.tag !== "system") await limitAnonymous(ip);
    return { caller: null };
  }
  const caller = await identify(arrival, { cookies: !route.tenantAnswers });
  const origin = { via: viaOf(caller, request), ip, requestId };
  if (route.auth === "caller") return { caller };
  return route.auth === "org" ? inOrg(caller, arrival, origin) : atAgent(caller, arrival, origin);
}
