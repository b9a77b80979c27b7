import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../../src/server/agents";
import { createApi } from "../../../src/server/api";
import { revealModelProviders } from "../../../src/server/models";
import {
  createApiKey,
  csrfTokenFor,
  ctxForSystem,
  findOrg,
  sessionCookie,
  signIn,
} from "../../../src/server/tenancy";
import { type DemoLogin, seedDemo } from "../../../src/worker/seed-demo";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let world: TestPlatform;
let demo: DemoLogin;
let orgId: string;
let key: string;
let theirs: SeededAgent;
const api = createApi();

beforeAll(async () => {
  world = await startTestPlatform();
  demo = await seedDemo();
  orgId = (await findOrg("demo"))!.id;
  await createAgent(ctxForSystem(orgId, "test"), { slug: "bot" });
  key = (
    await createApiKey(ctxForSystem(orgId, "test"), {
      name: "admin",
      permissions: [
        ...(["agents:read", "agents:update", "secrets:read", "secrets:write"] as const),
        ...(["models:manage", "keys:manage", "members:manage", "audit:read"] as const),
      ],
    })
  ).token;
  theirs = await seedAgent(world);
});
afterAll(() => world.stop());

async function ask(method: string, path: string, body?: unknown, token: string | null = key) {
  const answer = await api.request(`http://berth.test${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    json: text && JSON.parse(text),
  };
}

test("the seed answers a login and a key that work, and is made once", async () => {
  const caller = await signIn(demo, { via: "ui", ip: null, requestId: "r", userAgent: null });
  expect(caller.email).toBe("demo@berth.local");
  const me = await ask("GET", "/api/v1/me", undefined, demo.apiKey);
  expect(me.json).toMatchObject({
    ok: true,
    principal: { kind: "service" },
    orgs: [{ slug: "demo" }],
  });
  expect(me.json.key.permissions).toEqual(
    expect.arrayContaining(["agents:create", "tools:call", "sessions:write", "models:manage"]),
  );
  expect((await findOrg("demo"))?.settings.offlineModel).toBe(true);
  await expect(seedDemo()).rejects.toThrow("exists already");
});

test("secrets go in and never come out, for the agent and the org", async () => {
  for (const base of ["/api/v1/orgs/demo/agents/bot", "/api/v1/orgs/demo"]) {
    const many = await ask("PUT", `${base}/secrets`, {
      secrets: { A: "value of A", B: "value of B" },
    });
    expect(many).toMatchObject({ status: 200, json: { secrets: [{ name: "A" }, { name: "B" }] } });
    const one = await ask("PUT", `${base}/secrets/A`, { value: "new value" });
    expect(one.json).toMatchObject({ ok: true, name: "A", version: 2, length: 9 });
    expect((await ask("DELETE", `${base}/secrets/B`)).status).toBe(204);
    const listed = await ask("GET", `${base}/secrets`);
    expect(listed.json).toMatchObject({ ok: true, secrets: [{ name: "A", version: 2 }] });
    expect(JSON.stringify(listed)).not.toContain("value");
    expect(await ask("PUT", `${base}/secrets/lower`, { value: "x" })).toMatchObject({
      status: 400,
      type: "application/problem+json",
      json: { code: "invalid_secret_name", status: 400 },
    });
  }
});

test("model providers are set, shown without key, revealed to the runner, removed", async () => {
  const settings = {
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:9/v1",
    apiKey: "sk-hidden",
  };
  const set = await ask("PUT", "/api/v1/orgs/demo/models/stub", settings);
  expect(set.json).toMatchObject({ ok: true, name: "stub", baseUrl: settings.baseUrl });
  const listed = await ask("GET", "/api/v1/orgs/demo/models");
  expect(listed.json.models).toHaveLength(1);
  expect(JSON.stringify([set, listed])).not.toContain("sk-hidden");
  expect(await revealModelProviders(orgId)).toEqual([{ name: "stub", ...settings }]);
  expect(await revealModelProviders(theirs.orgId)).toEqual([]);
  for (const bad of [
    { kind: "openai-compatible" },
    { kind: "openai" },
    { kind: "openai", apiKey: "k", baseUrl: "nonsense" },
    { kind: "openai", apiKey: "k", baseUrl: "http://user:pw@host/" },
  ]) {
    const refused = await ask("PUT", "/api/v1/orgs/demo/models/bad", bad);
    expect(refused).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  }
  expect((await ask("DELETE", "/api/v1/orgs/demo/models/stub")).status).toBe(204);
  expect((await ask("DELETE", "/api/v1/orgs/demo/models/stub")).status).toBe(404);
});

test("keys, members, agents and the audit log", async () => {
  const made = await ask("POST", "/api/v1/orgs/demo/keys", {
    name: "new",
    permissions: ["agents:read"],
  });
  expect(made).toMatchObject({ status: 201, json: { ok: true, name: "new" } });
  const asNew = () => ask("GET", "/api/v1/orgs/demo/agents", undefined, made.json.token);
  expect((await asNew()).json.agents).toMatchObject([{ slug: "bot", activeVersion: null }]);
  expect((await ask("DELETE", `/api/v1/orgs/demo/keys/${made.json.id}`)).status).toBe(204);
  expect((await asNew()).status).toBe(401);
  const members = await ask("GET", "/api/v1/orgs/demo/members");
  expect(members.json.members).toMatchObject([{ email: "demo@berth.local", role: "owner" }]);
  const patched = await ask("PATCH", "/api/v1/orgs/demo/agents/BOT", {
    settings: { publicAccess: true },
  });
  expect(patched.json).toMatchObject({ slug: "bot", settings: { publicAccess: true } });

  const actions: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await ask(
      "GET",
      `/api/v1/orgs/demo/audit?limit=2${cursor && `&cursor=${cursor}`}`,
    );
    expect(page.status).toBe(200);
    actions.push(...page.json.entries.map(({ action }: { action: string }) => action));
    cursor = page.json.nextCursor;
  }
  const [rows] = await world.sql<{ n: number }>(
    "SELECT count(*)::int AS n FROM audit_entry WHERE org_id = $1",
    [orgId],
  );
  expect(actions).toHaveLength(rows!.n);
  expect(actions).toEqual(
    expect.arrayContaining(["org.create", "key.create", "key.revoke", "agent.update"]),
  );
});

test("a foreign org answers like one that is not there; no credentials are asked for first", async () => {
  const body = ({ json }: { json: object }) => ({ ...json, requestId: "" });
  for (const rest of ["/agents", "/secrets", "/models", "/keys", "/members", "/audit"]) {
    const foreign = await ask("GET", `/api/v1/orgs/${theirs.orgId}${rest}`);
    const random = await ask("GET", `/api/v1/orgs/org_nothing${rest}`);
    expect(foreign.status).toBe(404);
    expect(body(foreign)).toEqual(body(random));
  }
  const open = await ask("GET", "/api/v1/me", undefined, null);
  expect(open).toMatchObject({ status: 401, json: { code: "unauthenticated" } });
});

test("a page writes with its cookie and CSRF token, and a key makes no org", async () => {
  const { sid } = await signIn(demo, { via: "ui", ip: null, requestId: "r", userAgent: null });
  const send = async (headers: Record<string, string>) =>
    (
      await api.request("http://berth.test/api/v1/orgs", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          cookie: await sessionCookie(sid),
          origin: "http://berth.test",
          ...headers,
        },
        body: JSON.stringify({ slug: "second" }),
      })
    ).status;
  expect(await send({})).toBe(403);
  expect(await send({ "x-berth-csrf": csrfTokenFor("another") })).toBe(403);
  expect(await send({ "x-berth-csrf": csrfTokenFor(sid), origin: "http://evil.test" })).toBe(403);
  expect(await send({ "x-berth-csrf": csrfTokenFor(sid) })).toBe(201);
  expect((await ask("POST", "/api/v1/orgs", { slug: "third" })).status).toBe(403);
});
