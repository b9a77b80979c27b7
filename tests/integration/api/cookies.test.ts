import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser, csrfTokenFor, sessionCookie, signIn } from "../../../src/server/tenancy";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let cookie: string;
let csrf: string;
const ORIGIN = "http://127.0.0.1:3000";

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
  const person = { email: "a@example.com", password: "correct horse battery" };
  const { userId } = await createUser({ ...person, name: "A" });
  await berth.sql("INSERT INTO member (org_id, user_id, role) VALUES ($1, $2, 'developer')", [
    agent.orgId,
    userId,
  ]);
  const origin = { via: "ui" as const, ip: null, requestId: "r", userAgent: null };
  const caller = await signIn(person, origin);
  cookie = await sessionCookie(caller.sid);
  csrf = csrfTokenFor(caller.sid);
});
afterAll(() => berth.stop());

const open = (headers: Record<string, string>) =>
  send("POST", `/${agent.orgId}/agent/v1/session`, { json: { message: "hi" }, headers });

test("a page of this origin with its token is the person", async () => {
  const { status, body } = await open({ cookie, origin: ORIGIN, "x-berth-csrf": csrf });
  expect(status).toBe(202);
  const read = await send("GET", `/${agent.orgId}/agent/v1/session/${body.sessionId}`, {
    headers: { cookie, "sec-fetch-site": "same-origin", "x-berth-csrf": csrf },
  });
  expect(read.body.principal).toMatch(/^user:usr_/);
});

test("a read without a named site needs the token's header, and no other site may send it", async () => {
  const { body } = await open({ cookie, origin: ORIGIN, "x-berth-csrf": csrf });
  const read = async (headers: Record<string, string>) =>
    (await send("GET", `/${agent.orgId}/agent/v1/session/${body.sessionId}`, { headers })).status;
  expect(await read({ cookie, "x-berth-csrf": csrf })).toBe(200);
  expect(await read({ cookie })).toBe(401);
  expect(await read({ cookie, "x-berth-csrf": "wrong" })).toBe(401);
  for (const site of ["cross-site", "same-site", "none"]) {
    expect(await read({ cookie, "x-berth-csrf": csrf, "sec-fetch-site": site }), site).toBe(401);
  }
});

test("on an agent's paths the cookie alone is no credential", async () => {
  const proven = { cookie, origin: ORIGIN, "x-berth-csrf": csrf };
  const { "x-berth-csrf": _token, ...noToken } = proven;
  const { origin: _origin, ...noOrigin } = proven;
  const cases = [
    noToken,
    noOrigin,
    { ...proven, origin: "https://evil.example" },
    { ...proven, origin: "null" },
    { ...proven, "x-berth-csrf": "wrong" },
    { ...noOrigin, "sec-fetch-site": "cross-site" },
    { ...proven, authorization: "Bearer bth_nonsense" },
    { ...proven, authorization: "Basic YTpi" },
  ];
  for (const headers of cases) {
    expect(await open(headers), JSON.stringify(headers)).toMatchObject({
      status: 401,
      body: { error: "unauthenticated" },
    });
  }
});

test("the control API is read with the cookie, and written with the token", async () => {
  const me = await send("GET", "/api/v1/me", { headers: { cookie } });
  expect(me.status).toBe(200);
  const elsewhere = await send("GET", "/api/v1/me", {
    headers: { cookie, "sec-fetch-site": "cross-site" },
  });
  expect(elsewhere).toMatchObject({ status: 403, body: { code: "csrf_failed" } });
  const write = (headers: Record<string, string>) =>
    send("POST", "/api/v1/orgs", { json: { slug: "fresh" }, headers });
  expect(await write({ cookie })).toMatchObject({ status: 403, body: { code: "csrf_failed" } });
  const proven = await write({ cookie, origin: ORIGIN, "x-berth-csrf": csrf });
  expect(proven.status).toBe(201);
});
