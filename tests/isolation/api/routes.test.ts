import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES, type Route } from "../../../src/server/api";
import { keepOverflow } from "../../../src/server/artifacts";
import { newId } from "../../../src/server/platform/id";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

/** Bodies that pass each route's schema, so that nothing but the id decides. A new route needs one. */
const BODIES: Record<string, unknown> = {
  "POST /{org}/{agent}/v1/session": { message: "hi" },
  "POST /{org}/{agent}/v1/session/{id}": { message: "hi" },
  "POST /{org}/{agent}/v1/session/{id}/stop": {},
  "POST /{org}/{agent}/v1/session/{id}/approvals/{callId}": { decision: "approve" },
  "POST /api/v1/orgs/{org}/approvals/{callId}": { decision: "deny" },
  "POST /api/v1/orgs/{org}/agents/{agent}/approvals/{callId}": { decision: "deny" },
  "POST /{org}/{agent}/v1/tools/{name}": { input: {} },
  "PATCH /api/v1/orgs/{org}/agents/{agent}": { name: "renamed" },
  "PUT /api/v1/orgs/{org}/agents/{agent}/secrets": { secrets: { A_NAME: "a value" } },
  "PUT /api/v1/orgs/{org}/agents/{agent}/secrets/{name}": { value: "a value" },
  "PUT /api/v1/orgs/{org}/secrets": { secrets: { A_NAME: "a value" } },
  "PUT /api/v1/orgs/{org}/secrets/{name}": { value: "a value" },
  "PUT /api/v1/orgs/{org}/models/{name}": { kind: "openai", apiKey: "a key of a provider" },
  "POST /api/v1/orgs/{org}/keys": { name: "new" },
};

/** What each parameter is in the other org, and ids of nothing at all. */
let foreign: Record<string, string>;
const RANDOM: Record<string, () => string> = {
  org: () => newId("org"),
  agent: () => newId("agt"),
  id: () => newId("ses"),
  name: () => "echo",
  version: () => "1",
  keyId: () => newId("key"),
  artifactId: () => newId("art"),
  callId: () => newId("call"),
};

let state: string;
let berth: TestPlatform;
let mine: SeededAgent;
let theirs: SeededAgent;
let headers: { authorization: string };
let ofOtherAgent: { authorization: string };

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-isolation-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  mine = await seedAgent(berth);
  theirs = await seedAgent(berth);
  headers = await bearerFor(mine, { permissions: [...mine.ctx.permissions] });
  const { body } = await send("POST", `/${theirs.orgId}/agent/v1/session`, {
    json: { message: "secret" },
    headers: await bearerFor(theirs),
  });
  const [key] = await berth.sql<{ id: string }>("SELECT id FROM api_key WHERE org_id = $1", [
    theirs.orgId,
  ]);
  const callId = newId("call");
  await berth.sql(
    `INSERT INTO approval (org_id, call_id, session_id, turn_id, agent_id, version, tool_name, input,
       hash, expires_at) VALUES ($1, $2, $3, $4, $5, 1, 'gated', '{}', 'none', now() + interval '1 day')`,
    [theirs.orgId, callId, body.sessionId, body.turnId, theirs.agentId],
  );
  const { artifactId } = await keepOverflow({
    orgId: theirs.orgId,
    agentId: theirs.agentId,
    sessionId: body.sessionId,
    callId,
    toolName: "secret",
    text: "secret",
  });
  const { sessionId: id } = body;
  foreign = { org: theirs.orgId, agent: "agent", id, keyId: key!.id, callId, artifactId };
  await berth.sql(
    `INSERT INTO agent (org_id, id, slug, slug_key, name) VALUES ($1, 'agt_second', 'second', 'second', 's')`,
    [mine.orgId],
  );
  ofOtherAgent = await bearerFor(mine, { agentId: "agt_second" });
});
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true });
});

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const paramsOf = ({ path }: Route): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

const fill = (route: Route, values: (name: string) => string): string =>
  route.path.replace(/\{(\w+)\}/g, (_, name: string) => values(name));

function random(name: string): string {
  const make = RANDOM[name];
  if (!make) throw new Error(`say above what a random {${name}} is, and what the other org's is`);
  return make();
}

async function ask(route: Route, path: string, credentials: HeadersInit) {
  const type = route.rawBody ? { "content-type": route.rawBody } : {};
  const options = route.body
    ? { json: BODIES[nameOf(route)] }
    : { ...(route.rawBody ? { body: "x" } : {}) };
  if (route.body && options.json === undefined) {
    throw new Error(`${nameOf(route)} needs a body above that passes its schema`);
  }
  const { status, body } = await send(route.method, path, {
    ...options,
    headers: { ...type, ...credentials },
  });
  const { requestId: _requestId, ...rest } = typeof body === "string" ? { text: body } : body;
  return { status, body: rest };
}

const tenantRoutes = ROUTES.filter((route) => paramsOf(route).includes("org"));

test("the table has routes of tenants, and every other one is known to have no tenant's data", () => {
  expect(tenantRoutes.length).toBeGreaterThan(10);
  const others = ROUTES.filter((route) => !tenantRoutes.includes(route));
  for (const route of others) {
    const known = route.auth === "none" || route.auth === "caller";
    expect(known, nameOf(route)).toBe(true);
  }
  for (const route of tenantRoutes) {
    expect(["org", "agent"], nameOf(route)).toContain(route.auth);
  }
});

describe("ids of another org answer as random ids do", () => {
  test.each(tenantRoutes.map((route) => [nameOf(route), route] as const))(
    "%s",
    async (_, route) => {
      const theirIds = await ask(
        route,
        fill(route, (name) => foreign[name] ?? random(name)),
        headers,
      );
      const noIds = await ask(route, fill(route, random), headers);
      expect(theirIds).toEqual(noIds);
      expect(theirIds.status).toBe(404);
      expect(theirIds.body.error ?? theirIds.body.code).toBe("not_found");
    },
  );
});

const inOwnOrg = tenantRoutes.filter((route) => paramsOf(route).some((name) => /id$/i.test(name)));

describe("ids of another org below the caller's own agent", () => {
  test.each(inOwnOrg.map((route) => [nameOf(route), route] as const))("%s", async (_, route) => {
    const own: Record<string, string> = { org: mine.orgId, agent: "agent" };
    const theirIds = await ask(
      route,
      fill(route, (name) => own[name] ?? foreign[name] ?? random(name)),
      headers,
    );
    const noIds = await ask(
      route,
      fill(route, (name) => own[name] ?? random(name)),
      headers,
    );
    expect(theirIds).toEqual(noIds);
    expect(theirIds.status).toBe(404);
  });
});

const ofAgents = tenantRoutes.filter((route) => paramsOf(route).includes("agent"));

describe("a key of another agent of the org", () => {
  test.each(ofAgents.map((route) => [nameOf(route), route] as const))("%s", async (_, route) => {
    const own: Record<string, string> = { org: mine.orgId, agent: "agent" };
    const path = fill(route, (name) => own[name] ?? random(name));
    const answer = await ask(route, path, ofOtherAgent);
    expect(answer.status).toBe(404);
    expect(answer.body.error ?? answer.body.code).toBe("not_found");
  });
});

describe("no credentials", () => {
  test.each(tenantRoutes.map((route) => [nameOf(route), route] as const))(
    "%s",
    async (_, route) => {
      const theirIds = await ask(
        route,
        fill(route, (name) => foreign[name] ?? random(name)),
        {},
      );
      const noIds = await ask(route, fill(route, random), {});
      expect(theirIds).toEqual(noIds);
      expect(theirIds.status).toBe(401);
    },
  );
});
