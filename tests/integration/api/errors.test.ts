import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let base: string;

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
  headers = await bearerFor(agent);
  base = `/${agent.orgId}/agent/v1`;
});
afterAll(() => berth.stop());

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const withMetadata = (json: string): string => `{"message":"hi","metadata":{"a":${json}}}`;
const post = (body: BodyInit, more: HeadersInit = { "content-type": "application/json" }) =>
  send("POST", `${base}/session`, { body, headers: { ...headers, ...more } });

describe("what is refused before it is looked at", () => {
  test("no credentials and bad ones, on every agent path", async () => {
    const paths = [`${base}/session`, `/${agent.orgId}/nobody/v1/session`, "/no/one/v1/session"];
    for (const path of [...paths, `${base}/no-such-route`, "/no/one/v1/no-such-route"]) {
      for (const bad of [{}, { authorization: "Bearer bth_nonsense" }, { cookie: "a=b" }]) {
        const answer = await send("POST", path, { json: { message: "hi" }, headers: bad });
        expect(answer.status, path).toBe(401);
        expect(answer.body).toEqual({
          ok: false,
          error: "unauthenticated",
          message: expect.any(String),
          requestId: answer.headers.get("x-request-id"),
        });
      }
    }
  });

  test("unknown routes and wrong methods", async () => {
    const unknown = await send("GET", `${base}/nothing`, { headers });
    expect(unknown).toMatchObject({ status: 404, body: { ok: false, error: "unknown_route" } });
    const wrong = await send("DELETE", `${base}/session`, { headers });
    expect(wrong).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(wrong.headers.get("allow")).toBe("POST");
    const control = await send("DELETE", "/api/openapi.json");
    expect(control).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(control.headers.get("allow")).toBe("GET, HEAD");
    expect(control.headers.get("content-type")).toBe("application/problem+json");
  });

  test("later routes are not there", async () => {
    for (const path of ["/mcp", "/schedules", "/dev/reminders", "/channels/x/y"]) {
      const answer = await send("GET", base + path, { headers });
      expect(answer.body.error, path).toBe("unknown_route");
    }
  });

  test("a service worker's script", async () => {
    const answer = await send("GET", `${base}/tools`, {
      headers: { ...headers, "service-worker": "script" },
    });
    expect(answer).toMatchObject({ status: 403, body: { error: "forbidden" } });
  });
});

describe("bodies", () => {
  test("that are no JSON", async () => {
    for (const body of ["{", "nope", '{"message":"a"}x', Buffer.from([0x22, 0xff, 0x22])]) {
      expect(await post(body)).toMatchObject({ status: 400, body: { error: "invalid_json" } });
    }
  });

  test("of another type", async () => {
    const cases = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"];
    for (const type of cases) {
      const answer = await post('{"message":"hi"}', { "content-type": type });
      expect(answer, type).toMatchObject({
        status: 415,
        body: { error: "unsupported_media_type" },
      });
    }
    const packed = { "content-type": "application/json", "content-encoding": "gzip" };
    expect((await post('{"message":"hi"}', packed)).status).toBe(415);
  });

  test("nested to the limit, past it, and 10,000 deep", async () => {
    expect((await post(withMetadata(nested(62)))).status).toBe(202);
    for (const depth of [63, 10_000, 1_000_000]) {
      const answer = await post(withMetadata(nested(depth)));
      expect(answer, `${depth}`).toMatchObject({ status: 400, body: { error: "invalid_json" } });
    }
    const brackets = JSON.stringify({ message: nested(100), metadata: {} });
    expect((await post(brackets)).status).toBe(202);
  });

  test("whose message has 1 MiB, and one byte more", async () => {
    const mebibyte = "é".repeat(512 * 1024);
    expect((await post(JSON.stringify({ message: mebibyte }))).status).toBe(202);
    const more = await post(JSON.stringify({ message: `${mebibyte}a` }));
    expect(more).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  });

  test("of 16 MiB, and one byte more", async () => {
    const filler = (size: number) => {
      const head = '{"message":"hi","ignored":"';
      return `${head}${"x".repeat(size - head.length - 2)}"}`;
    };
    const limit = 16 * 1024 * 1024;
    expect((await post(filler(limit))).status).toBe(202);
    const more = await post(filler(limit + 1));
    expect(more).toMatchObject({ status: 413, body: { error: "body_too_large", maxBytes: limit } });
  });

  test("that break the schema name each place", async () => {
    const answer = await post('{"message":7,"title":"t"}');
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: "invalid_request",
        issues: [{ path: "message", message: expect.any(String) }],
      },
    });
    for (const body of [
      "{}",
      "[]",
      "null",
      '{"message":""}',
      "",
      JSON.stringify({ message: "a", title: "t".repeat(201) }),
    ]) {
      expect((await post(body)).body.error, body).toBe("invalid_request");
    }
  });

  test("with NUL where a name, an id or a cursor belongs", async () => {
    const { sessionId } = (await post('{"message":"hi"}')).body;
    const session = `${base}/session/${sessionId}`;
    const nul = "\u0000";
    const refused = { status: 400, body: { error: "invalid_request" } };
    const sent = [
      await send("POST", session, { json: { message: "a", continuationToken: nul }, headers }),
      await send("POST", `${session}/stop`, { json: { turnId: nul }, headers }),
      await send("GET", `${base}/sessions?cursor=%00`, { headers }),
      await send("GET", `${base}/sessions?channel=%00`, { headers }),
    ];
    for (const answer of sent) expect(answer).toMatchObject(refused);
    const renamed = await send("PATCH", `/api/v1/orgs/${agent.orgId}/agents/agent`, {
      json: { name: `a${nul}b` },
      headers,
    });
    expect(renamed).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  test("with NUL, lone surrogates and emoji come back as they were", async () => {
    const message = "nul \u0000 lone \ud83d emoji 🎉 mark \uE000";
    const sent = await post(JSON.stringify({ message, title: message }));
    expect(sent.status).toBe(202);
    const got = await send("GET", `${base}/session/${sent.body.sessionId}`, { headers });
    expect(got.body.title).toBe(message);
    const log = await send("GET", `${base}/session/${sent.body.sessionId}/events?format=json`, {
      headers,
    });
    expect(log.body[1].data.text).toBe(message);
  });
});

describe("what a session may be opened with", () => {
  test("mode, dryRun, asOf and files in both forms", async () => {
    for (const workspaceFiles of [[{ path: "a", contentBase64: "Yg==" }], { "a/b.md": "text" }]) {
      const asOf = "2026-01-01T00:00:00+01:00";
      const json = { message: "hi", mode: "task", dryRun: true, asOf, workspaceFiles };
      const { status, body } = await send("POST", `${base}/session`, { json, headers });
      expect(status).toBe(202);
      const [row] = await berth.sql("SELECT mode, dry_run, as_of FROM session WHERE id = $1", [
        body.sessionId,
      ]);
      expect(row).toEqual({ mode: "task", dry_run: true, as_of: new Date(asOf) });
    }
  });

  test("instants and paths that nothing could hold to are refused", async () => {
    for (const input of [
      { asOf: new Date(Date.now() + 60_000).toISOString() },
      { asOf: "0000-12-31T23:59:59Z" },
      { asOf: "0001-01-01T00:00:00+00:01" },
      { workspaceFiles: [{ path: "../a", content: "b" }] },
      { workspaceFiles: [{ path: `a/${"é".repeat(128)}/b`, content: "b" }] },
    ]) {
      const json = { message: "hi", ...input };
      const answer = await send("POST", `${base}/session`, { json, headers });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: "invalid_request", issues: [{ path: Object.keys(input)[0] }] },
      });
    }
  });

  test("the first instant of all and the longest name are taken", async () => {
    const workspaceFiles = [{ path: `a/${"é".repeat(127)}n`, content: "b" }];
    const json = { message: "hi", asOf: "0001-01-01T00:00:00Z", workspaceFiles };
    expect((await send("POST", `${base}/session`, { json, headers })).status).toBe(202);
  });

  test("a follow-up says how it is admitted", async () => {
    const { body } = await send("POST", `${base}/session`, { json: { message: "hi" }, headers });
    const follow = (admission: string) =>
      send("POST", `${base}/session/${body.sessionId}`, {
        json: { message: "m", admission },
        headers,
      });
    expect(await follow("coalesce")).toMatchObject({ status: 202, body: { turnId: body.turnId } });
    expect((await follow("preempt")).status).toBe(202);
    expect((await follow("queue")).status).toBe(400);
  });
});

describe("sessions", () => {
  test("the whole round", async () => {
    const created = await send("POST", `${base}/session`, {
      json: { message: "hi", title: "T", metadata: { a: [1] } },
      headers,
    });
    expect(created.status).toBe(202);
    const { sessionId, continuationToken } = created.body;
    const root = `http://127.0.0.1:3000/${agent.orgId}/agent`;
    expect(created.body).toEqual({
      ok: true,
      sessionId,
      continuationToken,
      messageId: expect.stringMatching(/^msg_/),
      turnId: expect.stringMatching(/^trn_/),
      streamUrl: `${root}/v1/session/${sessionId}/stream`,
      traceUrl: `${root}/sessions/${sessionId}`,
      playgroundUrl: `${root}/playground?session=${sessionId}`,
    });
    const got = await send("GET", `${base}/session/${sessionId}`, { headers });
    expect(got.body).toMatchObject({
      ok: true,
      sessionId,
      title: "T",
      metadata: { a: [1] },
      lastIndex: 1,
      continuationToken,
      channel: "http",
      mode: "chat",
      pendingApprovals: [],
    });
    const follow = await send("POST", `${base}/session/${sessionId}`, {
      json: { message: "more", continuationToken },
      headers,
    });
    expect(follow.status).toBe(202);
    expect(follow.body.continuationToken).not.toBe(continuationToken);
    const stale = await send("POST", `${base}/session/${sessionId}`, {
      json: { message: "late", continuationToken },
      headers,
    });
    expect(stale).toMatchObject({ status: 409, body: { error: "stale_continuation_token" } });
    const stopped = await send("POST", `${base}/session/${sessionId}/stop`, { headers });
    expect(stopped).toMatchObject({ status: 202, body: { ok: true, stopped: true } });
    const listed = await send("GET", `${base}/sessions?limit=1`, { headers });
    expect(listed.body).toMatchObject({
      ok: true,
      sessions: [{ sessionId, continuationToken: follow.body.continuationToken }],
      nextCursor: sessionId,
    });
  });

  test("another principal of the org is refused, and lists only its own", async () => {
    const { body } = await send("POST", `${base}/session`, { json: { message: "hi" }, headers });
    const other = await bearerFor(agent);
    const path = `${base}/session/${body.sessionId}`;
    for (const [method, route] of [
      ["GET", path],
      ["POST", path],
      ["POST", `${path}/stop`],
      ["GET", `${path}/stream?follow=false`],
      ["GET", `${path}/events`],
    ] as const) {
      const json = method === "POST" && route === path ? { message: "x" } : undefined;
      const answer = await send(method, route, { json, headers: other });
      expect(answer, route).toMatchObject({ status: 403, body: { error: "forbidden" } });
    }
    const listed = await send("GET", `${base}/sessions`, { headers: other });
    expect(listed.body.sessions).toEqual([]);
  });

  test("a key without the permission is told which one it lacks", async () => {
    const weak = await bearerFor(agent, { permissions: ["agents:read"] });
    const answer = await send("POST", `${base}/session`, { json: { message: "x" }, headers: weak });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: "forbidden", permission: "agents:invoke" },
    });
  });
});
