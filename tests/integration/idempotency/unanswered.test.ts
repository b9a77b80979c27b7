import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createApi } from "../../../src/server/api";
import { route } from "../../../src/server/api/route";
import { claimKey, HeldKey, sweepKeys } from "../../../src/server/idempotency";
import { AppError } from "../../../src/server/platform/errors";
import type { Sql } from "../../../src/server/platform/transaction";
import { createSession } from "../../../src/server/turns";
import { packFolder } from "../../support/build-farm";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

/**
 * Requests whose operations have committed and whose answers were never kept, as when the process
 * dies between the two. A trigger stands for the death: no answer gets into the table.
 */

let state: string;
let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let serial = 0;
let key: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-state-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state, BERTH_LOG_LEVEL: "silent" });
  agent = await seedAgent(berth);
  headers = await bearerFor(agent, { permissions: [...agent.ctx.permissions] });
});
beforeEach(() => {
  key = `unanswered ${++serial}`;
});
afterEach(() => berth.sql("ALTER TABLE idempotency_key DROP CONSTRAINT IF EXISTS lost"));
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true });
});

/** Answers made inside are not kept, and their keys are free afterwards, as after a lease. */
async function unkept<T>(request: () => Promise<T>): Promise<T> {
  await berth.sql(
    "ALTER TABLE idempotency_key ADD CONSTRAINT lost CHECK (status IS NULL) NOT VALID",
  );
  const answer = await request();
  await berth.sql("ALTER TABLE idempotency_key DROP CONSTRAINT lost");
  await berth.sql("UPDATE idempotency_key SET expires_at = now() WHERE status IS NULL");
  return answer;
}

const keyed = (method: string, path: string, json?: unknown) =>
  send(method, path, {
    ...(json === undefined ? {} : { json }),
    headers: { ...headers, "idempotency-key": key },
  });

const org = () => `/api/v1/orgs/${agent.orgId}`;
const sessions = () => `/${agent.orgId}/agent/v1/session`;
const open = async () =>
  (await send("POST", sessions(), { json: { message: "hi" }, headers })).body;

/** Everything an operation could have left twice. */
const left = () =>
  berth.sql(`SELECT (SELECT count(*) FROM audit_entry) AS audited, (SELECT count(*) FROM event) AS events,
    (SELECT count(*) FROM session) AS sessions, (SELECT count(*) FROM message) AS messages,
    (SELECT count(*) FROM secret) AS secrets, (SELECT count(*) FROM deployment) AS versions`);

interface Write {
  name: string;
  arrange?: () => Promise<Record<string, string>>;
  method: string;
  path: (had: Record<string, string>) => string;
  json?: (had: Record<string, string>) => unknown;
  status: number;
}

const WRITES: Write[] = [
  {
    name: "opening a session",
    method: "POST",
    path: sessions,
    json: () => ({ message: "once" }),
    status: 202,
  },
  {
    name: "a follow-up",
    arrange: open,
    method: "POST",
    path: ({ sessionId }) => `${sessions()}/${sessionId}`,
    json: ({ continuationToken }) => ({ message: "more", continuationToken }),
    status: 202,
  },
  {
    name: "stopping a turn",
    arrange: open,
    method: "POST",
    path: ({ sessionId }) => `${sessions()}/${sessionId}/stop`,
    json: () => ({}),
    status: 202,
  },
  {
    name: "erasing a session",
    arrange: open,
    method: "DELETE",
    path: ({ sessionId }) => `${org()}/agents/agent/sessions/${sessionId}`,
    status: 204,
  },
  {
    name: "an agent's settings",
    method: "PATCH",
    path: () => `${org()}/agents/agent`,
    json: () => ({ name: "Renamed" }),
    status: 200,
  },
  {
    name: "a secret",
    method: "PUT",
    path: () => `${org()}/secrets/ONCE`,
    json: () => ({ value: "a value of some length" }),
    status: 200,
  },
  {
    name: "a model provider",
    method: "PUT",
    path: () => `${org()}/models/once`,
    json: () => ({ kind: "anthropic", apiKey: "key of the provider" }),
    status: 200,
  },
];

describe("is answered from what it led to, which stays once", () => {
  test.each(WRITES)("$name", async ({ arrange, method, path, json, status }) => {
    const had = (await arrange?.()) ?? {};
    const ask = () => keyed(method, path(had), json?.(had));
    const first = await unkept(ask);
    expect(first.status).toBe(status);
    const before = await left();
    const again = await ask();
    expect(again.status).toBe(status);
    expect(again.body).toEqual(first.body);
    expect(await left()).toEqual(before);
    expect((await ask()).body).toEqual(first.body);
  });

  test("a deployment, whose log is streamed again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "berth-upload-"));
    await writeFile(join(folder, "package.json"), '{ "name": "unanswered" }');
    const upload = async (body: Uint8Array<ArrayBuffer>) => {
      const response = await createApi().request(`${org()}/agents/unanswered/deployments`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": key, "content-type": "application/gzip" },
        body,
      });
      const { status } = response;
      const location = response.headers.get("location");
      if (status !== 201) return { status, ...((await response.json()) as { code: string }) };
      await response.body?.cancel();
      return { status, location };
    };
    const packed = await packFolder(folder);
    const first = await unkept(() => upload(packed));
    expect(first.status).toBe(201);
    const before = await left();
    await writeFile(join(folder, "more.txt"), "more");
    expect(await upload(await packFolder(folder))).toMatchObject({ code: "idempotency_conflict" });
    await rm(folder, { recursive: true });
    expect(await upload(packed)).toEqual(first);
    expect(await left()).toEqual(before);
  });

  test("of which nothing tells what a secret was", async () => {
    const make = () => keyed("POST", `${org()}/keys`, { name: "unanswered" });
    const first = await make();
    const rows = await berth.sql<{ row: string }>(
      "SELECT k::text AS row FROM idempotency_key k WHERE key = $1",
      [key],
    );
    expect(rows).toHaveLength(1);
    const secret = first.body.token.slice(-20);
    expect(rows[0]!.row).not.toContain(secret);
    expect(rows[0]!.row).not.toContain(Buffer.from(secret).toString("hex"));
    expect((await make()).body).toMatchObject({ code: "already_created", id: first.body.id });
  });
});

test("a secret's making ends its request with it, so that no lost answer makes another", async () => {
  const make = () => keyed("POST", `${org()}/keys`, { name: "made with its mark" });
  const lost = await unkept(make);
  // The mark could not be written, so that the key was not made either.
  expect(lost.status).toBe(500);
  const named = () =>
    berth.sql<{ id: string }>("SELECT id FROM api_key WHERE name = 'made with its mark'");
  expect(await named()).toEqual([]);
  expect((await make()).status).toBe(201);
  expect(await named()).toHaveLength(1);
});

test("another body with the key of an unanswered request is a conflict, and takes nothing from it", async () => {
  const first = await unkept(() => keyed("POST", sessions(), { message: "one" }));
  const other = await keyed("POST", sessions(), { message: "two" });
  expect(other).toMatchObject({ status: 409, body: { error: "idempotency_conflict" } });
  expect((await keyed("POST", sessions(), { message: "one" })).body).toEqual(first.body);
});

test("what a request led to counts for a day", async () => {
  const first = await unkept(() => keyed("POST", sessions(), { message: "yesterday" }));
  await sweepKeys();
  const rows = () => berth.sql("SELECT 1 FROM idempotency_key WHERE key = $1", [key]);
  expect(await rows()).toHaveLength(1);
  await berth.sql(
    "UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = $1",
    [key],
  );
  const again = await keyed("POST", sessions(), { message: "yesterday" });
  expect(again.status).toBe(202);
  expect(again.body.sessionId).not.toBe(first.body.sessionId);
  await unkept(() => keyed("POST", `${sessions()}/${again.body.sessionId}/stop`, {}));
  await berth.sql(
    "UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = $1 AND status IS NULL",
    [key],
  );
  await sweepKeys();
  expect(await rows()).toHaveLength(1);
});

test("erasing a session takes what unanswered requests led to in it", async () => {
  const opened = await unkept(() => keyed("POST", sessions(), { message: "to be erased" }));
  const rows = () => berth.sql("SELECT 1 FROM idempotency_key WHERE key = $1", [key]);
  expect(await rows()).toHaveLength(1);
  await send("DELETE", `${sessions()}/${opened.body.sessionId}`, { headers });
  expect(await rows()).toEqual([]);
});

/** A route that opens a session and then does what the test says. */
function opening(then: () => Promise<void>) {
  const one = route({
    method: "POST",
    path: "/{org}/{agent}/v1/opening",
    summary: "",
    tag: "test",
    auth: "agent",
    body: z.unknown(),
    answer: { status: 200, description: "" },
    async handler({ ctx, agent: { id } }) {
      const { sessionId } = await createSession(ctx, { agentId: id, message: "opened" });
      await then();
      return { sessionId };
    },
  });
  const api = createApi([one]);
  return async () => {
    const response = await api.request(`/${agent.orgId}/agent/v1/opening`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": key, "content-type": "application/json" },
      body: "{}",
    });
    const body = (await response.json()) as { error?: string; sessionId?: string };
    return { status: response.status, body };
  };
}

const sessionCount = async () =>
  (await berth.sql<{ n: number }>("SELECT count(*)::int AS n FROM session"))[0]!.n;

test("a failure after an operation does not make a repeat do it again", async () => {
  const before = await sessionCount();
  const failures = ["unavailable", "rate_limited", undefined] as const;
  let tries = 0;
  const ask = opening(() => {
    const code = failures[tries++];
    return code ? Promise.reject(new AppError(code, "not now")) : Promise.resolve();
  });
  expect((await ask()).status).toBe(503);
  expect((await ask()).status).toBe(429);
  expect((await ask()).status).toBe(200);
  expect(await sessionCount()).toBe(before + 1);
});

test("a process that lost its key while it was away commits nothing any more", async () => {
  const before = await sessionCount();
  const scope = { orgId: agent.orgId, principal: "service:x", method: "POST", path: "/p", key };
  const away = await claimKey(scope, "hash");
  if (!(away instanceof HeldKey)) throw new Error("the key was taken");
  await berth.sql("UPDATE idempotency_key SET expires_at = now() WHERE key = $1", [key]);
  await sleep(5); // stamps tell milliseconds apart
  const next = await claimKey(scope, "hash");
  if (!(next instanceof HeldKey)) throw new Error("the lease had run out");
  const open = (held: HeldKey) => {
    const once = {
      recall: () => undefined,
      async remember(sql: Sql, action: string, result: unknown) {
        const noted = { action, result, bodyHash: "hash", sessionId: undefined };
        if (!(await held.remember(sql, noted))) throw new AppError("idempotency_in_progress", "");
      },
    };
    return createSession({ ...agent.ctx, once }, { agentId: agent.agentId, message: "once" });
  };
  await expect(open(away)).rejects.toMatchObject({ code: "idempotency_in_progress" });
  await open(next);
  expect(await sessionCount()).toBe(before + 1);
  await next.free();
});
