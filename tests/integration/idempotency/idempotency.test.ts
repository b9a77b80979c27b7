import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createApi, type Route } from "../../../src/server/api";
import { route } from "../../../src/server/api/route";
import { claimKey, HeldKey, sweepKeys } from "../../../src/server/idempotency";
import { AppError } from "../../../src/server/platform/errors";
import { withTransaction } from "../../../src/server/platform/transaction";
import { packFolder } from "../../support/build-farm";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let state: string;
let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let sessions: string;
let serial = 0;
let key: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-state-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  agent = await seedAgent(berth);
  headers = await bearerFor(agent, { permissions: [...agent.ctx.permissions] });
  sessions = `/${agent.orgId}/agent/v1/session`;
});
beforeEach(() => {
  key = `key ${++serial}`;
});
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true });
});

const open = (message: string, more: Record<string, string> = {}) =>
  send("POST", sessions, {
    json: { message },
    headers: { ...headers, "idempotency-key": key, ...more },
  });

const sessionCount = async (): Promise<number> => {
  const [row] = await berth.sql<{ n: number }>("SELECT count(*)::int AS n FROM session");
  return row!.n;
};

describe("a repeated request", () => {
  test("gets the first answer again, and nothing happens twice", async () => {
    const before = await sessionCount();
    const first = await open("once");
    const again = await open("once");
    expect(first.status).toBe(202);
    expect(again.status).toBe(202);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(again.headers.get("cache-control")).toBe("no-store");
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(await sessionCount()).toBe(before + 1);
  });

  test("is a conflict with another body, another query or the same JSON in other bytes", async () => {
    await open("one");
    expect(await open("two")).toMatchObject({
      status: 409,
      body: { error: "idempotency_conflict" },
    });
    const spaced = await send("POST", sessions, {
      body: '{ "message": "one" }',
      headers: { ...headers, "idempotency-key": key, "content-type": "application/json" },
    });
    expect(spaced.body.error).toBe("idempotency_conflict");
    const queried = await send("POST", `${sessions}?a=1`, {
      json: { message: "one" },
      headers: { ...headers, "idempotency-key": key },
    });
    expect(queried.body.error).toBe("idempotency_conflict");
  });

  test("is answered before tokens and state are looked at", async () => {
    const opened = (await open("hello")).body;
    const say = () =>
      send("POST", `${sessions}/${opened.sessionId}`, {
        json: { message: "more", continuationToken: opened.continuationToken },
        headers: { ...headers, "idempotency-key": key },
      });
    const first = await say();
    expect(first.status).toBe(202);
    // The token has been used up by the first request.
    expect((await say()).body).toEqual(first.body);
    const fresh = await send("POST", `${sessions}/${opened.sessionId}`, {
      json: { message: "more", continuationToken: opened.continuationToken },
      headers,
    });
    expect(fresh.body.error).toBe("stale_continuation_token");
  });

  test("of a refused request is refused in the same words", async () => {
    const refuse = () => open("");
    const first = await refuse();
    expect(first.status).toBe(400);
    expect((await refuse()).body).toEqual(first.body);
  });

  test("finds the agent under any spelling of its slug", async () => {
    const first = await open("spelled");
    const again = await send("POST", `/${agent.orgId}/AGENT/v1/session`, {
      json: { message: "spelled" },
      headers: { ...headers, "idempotency-key": key },
    });
    expect(again.body).toEqual(first.body);
  });
});

test("of 12 at once with one key one opens a session and the others say so", async () => {
  const before = await sessionCount();
  const answers = await Promise.all(Array.from({ length: 12 }, () => open("race")));
  const made = new Set(answers.filter(({ status }) => status === 202).map((a) => a.body.sessionId));
  expect(made.size).toBe(1);
  for (const { status, body } of answers) {
    if (status !== 202) expect(body.error).toBe("idempotency_in_progress");
  }
  expect(await sessionCount()).toBe(before + 1);
});

describe("a key is its principal's own", () => {
  test("another service account of the org", async () => {
    const mine = await open("mine");
    const other = await bearerFor(agent);
    const theirs = await open("theirs", other);
    expect(theirs.status).toBe(202);
    expect(theirs.body.sessionId).not.toBe(mine.body.sessionId);
  });

  test("another org", async () => {
    const mine = await open("mine");
    const elsewhere = await seedAgent(berth);
    const theirs = await send("POST", `/${elsewhere.orgId}/agent/v1/session`, {
      json: { message: "theirs" },
      headers: { ...(await bearerFor(elsewhere)), "idempotency-key": key },
    });
    expect(theirs.status).toBe(202);
    expect(theirs.body.sessionId).not.toBe(mine.body.sessionId);
    const rows = await withTransaction(elsewhere.orgId, ({ db }) => db.idempotencyKey.findMany());
    expect(rows.map(({ orgId }) => orgId)).toEqual([elsewhere.orgId]);
  });

  test("another path, and another method", async () => {
    const first = await open("a");
    const second = await send("POST", `${sessions}/${first.body.sessionId}/stop`, {
      json: {},
      headers: { ...headers, "idempotency-key": key },
    });
    expect(second.status).toBe(202);
  });
});

test.each([
  ["", 400],
  ["x".repeat(255), 202],
  ["x".repeat(256), 400],
  ["ok !~", 202],
  ["caf\u00e9", 400],
  ["tab\there", 400],
])("key %j answers %i", async (text, status) => {
  const answer = await open("keyed", { "idempotency-key": text });
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body.error).toBe("invalid_request");
});

test("an answer that holds a secret is not kept: a repeat names what was made", async () => {
  const make = (name: string) =>
    send("POST", `/api/v1/orgs/${agent.orgId}/keys`, {
      json: { name },
      headers: { ...headers, "idempotency-key": key },
    });
  const first = await make("deploys");
  expect(first.status).toBe(201);
  const again = await make("deploys");
  expect(again).toMatchObject({ status: 409, body: { code: "already_created" } });
  expect(again.body.id).toBe(first.body.id);
  expect((await make("others")).body.code).toBe("idempotency_conflict");
  const rows = await berth.sql<{ row: string }>("SELECT k::text AS row FROM idempotency_key k");
  const secret = first.body.token.slice(-20);
  expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
  expect(rows.filter(({ row }) => row.includes(Buffer.from(secret).toString("hex")))).toEqual([]);
});

/** A route whose handler the test controls. */
function controlled() {
  const runs: { settle: (result: unknown) => void; fail: (error: Error) => void }[] = [];
  const waiting: (() => void)[] = [];
  const one: Route = route({
    method: "POST",
    path: "/{org}/{agent}/v1/controlled",
    summary: "",
    tag: "test",
    auth: "agent",
    body: z.unknown(),
    answer: { status: 200, description: "" },
    handler: () =>
      new Promise((settle, fail) => {
        runs.push({ settle, fail });
        waiting.shift()?.();
      }),
  });
  const api = createApi([one]);
  const ask = async (json: unknown) => {
    const response = await api.request(`/${agent.orgId}/agent/v1/controlled`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": key, "content-type": "application/json" },
      body: JSON.stringify(json),
    });
    const body = (await response.json()) as { error?: string; n?: number };
    return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
  };
  const started = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { runs, ask, started };
}

describe("while the first request runs", () => {
  test("a repeat is told so, and another body is a conflict", async () => {
    const { runs, ask, started } = controlled();
    const begun = started();
    const first = ask({ a: 1 });
    await begun;
    expect(await ask({ a: 1 })).toMatchObject({
      status: 409,
      retryAfter: "1",
      body: { error: "idempotency_in_progress" },
    });
    expect((await ask({ a: 2 })).body.error).toBe("idempotency_conflict");
    runs[0]!.settle({ n: 1 });
    expect((await first).body).toEqual({ n: 1 });
    expect((await ask({ a: 1 })).body).toEqual({ n: 1 });
    expect(runs).toHaveLength(1);
  });

  test.each([
    ["unavailable", 503],
    ["rate_limited", 429],
    ["tool_timeout", 504],
  ] as const)("a failure with %s frees the key", async (code, status) => {
    const { runs, ask, started } = controlled();
    const begun = started();
    const first = ask({});
    await begun;
    runs[0]!.fail(new AppError(code, "not now"));
    expect((await first).status).toBe(status);
    const second = started();
    const again = ask({});
    await second;
    runs[1]!.settle({ n: 2 });
    expect((await again).body).toEqual({ n: 2 });
  });

  test("a process that died frees the key with its lease, and can no longer answer for it", async () => {
    const scope = { orgId: agent.orgId, principal: "service:x", method: "POST", path: "/p", key };
    const dead = await claimKey(scope, "hash");
    if (!(dead instanceof HeldKey)) throw new Error("the key was taken");
    expect(await claimKey(scope, "hash")).toEqual({ bodyHash: "hash", answer: undefined });
    await berth.sql(
      "UPDATE idempotency_key SET expires_at = now() - interval '1 s' WHERE key = $1",
      [key],
    );
    const next = await claimKey(scope, "other");
    if (!(next instanceof HeldKey)) throw new Error("the lease had run out");
    const answer = { status: 200, headers: {}, body: Buffer.from("late"), createdId: null };
    await dead.keep({ ...answer, bodyHash: "hash", sessionId: undefined });
    await dead.free();
    expect(await claimKey(scope, "other")).toEqual({ bodyHash: "other", answer: undefined });
    const right = { ...answer, body: Buffer.from("right") };
    await next.keep({ ...right, bodyHash: "other", sessionId: undefined });
    expect(await claimKey(scope, "other")).toMatchObject({
      answer: { body: Buffer.from("right") },
    });
  });

  test("a lease of seconds is written, and a day once there is an answer", async () => {
    const { runs, ask, started } = controlled();
    const left = async () => {
      const [row] = await berth.sql<{ seconds: number }>(
        "SELECT extract(epoch FROM expires_at - now())::float AS seconds FROM idempotency_key WHERE key = $1",
        [key],
      );
      return row!.seconds;
    };
    const begun = started();
    const first = ask({});
    await begun;
    expect(await left()).toBeGreaterThan(10);
    expect(await left()).toBeLessThanOrEqual(15);
    runs[0]!.settle({});
    await first;
    expect(await left()).toBeGreaterThan(24 * 3600 - 60);
    expect(await left()).toBeLessThanOrEqual(24 * 3600);
  });
});

describe("an upload", () => {
  const upload = async (body: Uint8Array<ArrayBuffer>) => {
    const response = await createApi().request(
      `/api/v1/orgs/${agent.orgId}/agents/uploaded/deployments`,
      {
        method: "POST",
        headers: { ...headers, "idempotency-key": key, "content-type": "application/gzip" },
        body,
      },
    );
    if (response.status !== 201) return { ...((await response.json()) as object), location: null };
    await response.body?.cancel();
    return { location: response.headers.get("location") };
  };

  test("makes one version, whose log is streamed again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "berth-upload-"));
    await writeFile(join(folder, "package.json"), '{ "name": "uploaded" }');
    const packed = await packFolder(folder);
    const first = await upload(packed);
    expect(first.location).toMatch(/\/uploaded\/deployments\/1$/);
    expect(await upload(packed)).toEqual(first);
    await writeFile(join(folder, "more.txt"), "more");
    expect(await upload(await packFolder(folder))).toMatchObject({ code: "idempotency_conflict" });
    await rm(folder, { recursive: true });
    const rows = await berth.sql(
      "SELECT 1 FROM deployment d JOIN agent a ON a.id = d.agent_id WHERE a.slug = 'uploaded'",
    );
    expect(rows).toHaveLength(1);
  });

  test("that was refused before its end frees the key", async () => {
    expect(await upload(new Uint8Array(26 * 1024 * 1024))).toMatchObject({
      code: "body_too_large",
    });
    const rows = await berth.sql("SELECT 1 FROM idempotency_key WHERE key = $1", [key]);
    expect(rows).toEqual([]);
  });
});

test("erasing a session takes the answers that speak of it", async () => {
  const { body: opened } = await open("erased");
  const { body: other } = await send("POST", sessions, { json: { message: "other" }, headers });
  const stop = (id: string) =>
    send("POST", `${sessions}/${id}/stop`, {
      json: {},
      headers: { ...headers, "idempotency-key": key },
    });
  await stop(opened.sessionId);
  await stop(other.sessionId);
  const kept = async () =>
    (
      await berth.sql<{ session_id: string }>(
        "SELECT session_id FROM idempotency_key WHERE key = $1 ORDER BY created_at",
        [key],
      )
    ).map(({ session_id: id }) => id);
  expect(await kept()).toEqual([opened.sessionId, opened.sessionId, other.sessionId]);
  await send("DELETE", `${sessions}/${opened.sessionId}`, { headers });
  expect(await kept()).toEqual([other.sessionId]);
});

test("an answer about a session that was erased while it ran is not kept", async () => {
  const { body: opened } = await open("erased meanwhile");
  const scope = { orgId: agent.orgId, principal: "service:x", method: "POST", path: "/p", key };
  const held = await claimKey(scope, "hash");
  if (!(held instanceof HeldKey)) throw new Error("the key was taken");
  await send("DELETE", `${sessions}/${opened.sessionId}`, { headers });
  const answer = { status: 200, headers: {}, body: Buffer.from("said"), createdId: null };
  await held.keep({ ...answer, bodyHash: "hash", sessionId: opened.sessionId });
  expect(await claimKey(scope, "hash")).toBeInstanceOf(HeldKey);
});

test("erasing a session leaves a key that is held again after its day", async () => {
  const { body: opened } = await open("of yesterday");
  await berth.sql("UPDATE idempotency_key SET expires_at = now() WHERE key = $1", [key]);
  const [row] = await berth.sql<{ principal: string; path: string }>(
    "SELECT principal, path FROM idempotency_key WHERE key = $1",
    [key],
  );
  const scope = { orgId: agent.orgId, method: "POST", ...row!, key };
  expect(await claimKey(scope, "again")).toBeInstanceOf(HeldKey);
  await send("DELETE", `${sessions}/${opened.sessionId}`, { headers });
  expect(await claimKey(scope, "again")).toEqual({ bodyHash: "again", answer: undefined });
});

test("the sweep removes what has expired, of every org, and nothing else", async () => {
  await open("kept");
  const keptKey = key;
  key = "to be swept";
  await open("swept");
  await berth.sql("UPDATE idempotency_key SET expires_at = now() WHERE key = $1", [key]);
  expect(await sweepKeys()).toBeGreaterThan(0);
  const rows = await berth.sql<{ key: string }>("SELECT key FROM idempotency_key");
  const keys = rows.map((row) => row.key);
  expect(keys).toContain(keptKey);
  expect(keys).not.toContain(key);
});

test("a request without a key leaves no row", async () => {
  const count = async () =>
    (await berth.sql<{ n: number }>("SELECT count(*)::int AS n FROM idempotency_key"))[0]!.n;
  const before = await count();
  await send("POST", sessions, { json: { message: "plain" }, headers });
  await send("GET", `/${agent.orgId}/agent/v1/sessions`, {
    headers: { ...headers, "idempotency-key": key },
  });
  expect(await count()).toBe(before);
});
