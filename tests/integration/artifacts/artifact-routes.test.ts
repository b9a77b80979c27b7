import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApi } from "../../../src/server/api";
import { newId } from "../../../src/server/platform/id";
import { answerHostCall } from "../../../src/server/runner";
import { createSession } from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, listen, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let state: string;
let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let base: string;
let sessionId: string;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-artifacts-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
});
afterAll(async () => {
  await berth.stop();
  await rm(state, { recursive: true, force: true });
});
beforeEach(async () => {
  agent = await seedAgent(berth);
  headers = await bearerFor(agent, { permissions: [...agent.ctx.permissions] });
  base = `/${agent.orgId}/agent/v1/artifacts`;
  sessionId = await openSession();
});

const openSession = async () =>
  (await createSession(agent.ctx, { agentId: agent.agentId, message: "hi" })).sessionId;

async function tag(artifact: object, session = sessionId): Promise<string> {
  const scope = {
    toolCallId: newId("call"),
    workspace: session,
    session: {
      id: session,
      channel: "http",
      mode: "chat" as const,
      auth: { principal: "p" },
      dryRun: false,
    },
  };
  const tagged = await answerHostCall({
    method: "artifacts.tag",
    params: { kind: "k", key: "k", ...artifact },
    ref: { orgId: agent.orgId, agentId: agent.agentId, version: 1 },
    during: { kind: "tool", name: "t", input: {}, approved: true, scope },
  });
  return (tagged as { id: string }).id;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const get = (path: string, more: HeadersInit = {}) =>
  send("GET", base + path, { headers: { ...headers, ...more } });
const idsOf = (body: { artifacts: { id: string }[] }) => body.artifacts.map(({ id }) => id);

describe("the list", () => {
  test("is newest first, filtered by kind and session, and paged without a gap", async () => {
    const other = await openSession();
    const ids = [
      await tag({ kind: "a", key: "1" }),
      await tag({ kind: "b", key: "1" }, other),
      await tag({ kind: "a", key: "2" }, other),
      await tag({ kind: "b", key: "2" }),
    ].reverse();
    expect(idsOf((await get("")).body)).toEqual(ids);
    expect(idsOf((await get("?kind=a")).body)).toEqual([ids[1], ids[3]]);
    expect(idsOf((await get(`?session=${other}`)).body)).toEqual([ids[1], ids[2]]);
    expect(idsOf((await get(`?session=${other}&kind=b`)).body)).toEqual([ids[2]]);
    const first = await get("?limit=3");
    expect(idsOf(first.body)).toEqual(ids.slice(0, 3));
    const second = await get(`?limit=3&cursor=${first.body.nextCursor}`);
    expect(idsOf(second.body)).toEqual(ids.slice(3));
    expect(second.body).toMatchObject({ ok: true, nextCursor: null });
    expect((await get("?limit=201")).status).toBe(400);
  });

  test("does not carry data; the record does", async () => {
    const id = await tag({ data: { n: 1 }, title: "T" });
    expect((await get("")).body.artifacts[0]).not.toHaveProperty("data");
    const record = await get(`/${id}`);
    expect(record.body).toMatchObject({ ok: true, id, title: "T", data: { n: 1 }, version: 1 });
    expect(record.headers.get("content-security-policy")).toBe("sandbox");
  });

  test("needs artifacts:read, for every route of it", async () => {
    const id = await tag({ base64: base64("x") });
    const key = await bearerFor(agent, { permissions: ["agents:invoke", "sessions:read"] });
    for (const path of ["", "/stream?follow=false", `/${id}`, `/${id}/content`]) {
      const answer = await get(path, key);
      expect([path, answer.status, answer.body.error]).toEqual([path, 403, "forbidden"]);
    }
  });
});

describe("the contents", () => {
  test("come as they were tagged, as a download that cannot act for our origin", async () => {
    const id = await tag({
      title: 'Caf\u00e9 "one"',
      contentType: "text/html",
      base64: base64("<script>alert(1)</script>"),
    });
    const answer = await get(`/${id}/content`);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe("<script>alert(1)</script>");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html",
      "content-length": "25",
      "content-disposition": `attachment; filename="Caf_ _one_.html"; filename*=UTF-8''Caf%C3%A9%20_one_.html`,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "accept-ranges": "bytes",
    });
  });

  test("come in parts", async () => {
    const id = await tag({ base64: base64("0123456789") });
    const part = await get(`/${id}/content`, { range: "bytes=2-4" });
    expect([part.status, part.body]).toEqual([206, "234"]);
    expect(part.headers.get("content-range")).toBe("bytes 2-4/10");
    expect(part.headers.get("content-length")).toBe("3");
    expect((await get(`/${id}/content`, { range: "bytes=-2" })).body).toBe("89");
    const beyond = await get(`/${id}/content`, { range: "bytes=10-" });
    expect([beyond.status, beyond.body.error]).toEqual([416, "range_not_satisfiable"]);
    expect(beyond.headers.get("content-range")).toBe("bytes */10");
    const etag = part.headers.get("etag") ?? "";
    const same = { range: "bytes=0-0", "if-range": etag };
    expect((await get(`/${id}/content`, same)).body).toBe("0");
    const changed = { range: "bytes=0-0", "if-range": '"other"' };
    expect((await get(`/${id}/content`, changed)).status).toBe(200);
    const known = await get(`/${id}/content`, { "if-none-match": etag });
    expect([known.status, known.body]).toEqual([304, ""]);
  });

  test("of data alone are its JSON, and of nothing are not found", async () => {
    const data = await tag({ key: "d", data: { n: 1 } });
    const answer = await get(`/${data}/content`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body).toEqual({ n: 1 });
    const part = await get(`/${data}/content`, { range: "bytes=0-99" });
    expect([part.status, part.body]).toEqual([206, { n: 1 }]);
    const nothing = await tag({ key: "n" });
    expect((await get(`/${nothing}/content`)).status).toBe(404);
  });

  test("are not read for HEAD", async () => {
    const id = await tag({ base64: base64("0123456789") });
    const answer = await createApi().request(`${base}/${id}/content`, { method: "HEAD", headers });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([
      200,
      "10",
      "",
    ]);
  });

  test("are there for a signed-in browser below the control API", async () => {
    const id = await tag({ base64: base64("x") });
    const path = `/api/v1/orgs/${agent.orgId}/agents/agent/artifacts/${id}/content`;
    const answer = await send("GET", path, { headers });
    expect([answer.status, answer.body]).toEqual([200, "x"]);
    expect(answer.headers.get("content-security-policy")).toBe("sandbox");
  });

  test("of another agent's artifact are not found", async () => {
    const id = await tag({ base64: base64("x") });
    await berth.sql(
      "INSERT INTO agent (org_id, id, slug, slug_key, name) VALUES ($1, 'agt_b', 'b', 'b', 'b')",
      [agent.orgId],
    );
    const answer = await send("GET", `/${agent.orgId}/b/v1/artifacts/${id}/content`, { headers });
    expect([answer.status, answer.body.error]).toEqual([404, "not_found"]);
  });
});

describe("the stream", () => {
  interface Line {
    id: string;
    kind: string;
  }
  let web: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    web = await listen();
  });
  afterAll(() => web.close());

  /** Lines of a live stream; ends the connection when nobody reads on. */
  async function* lines(query = ""): AsyncGenerator<Line> {
    const gone = new AbortController();
    const response = await fetch(`${web.url}${base}/stream${query}`, {
      headers,
      signal: gone.signal,
    });
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body!) {
        const parts = (rest + decoder.decode(piece, { stream: true })).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts.filter(Boolean)) yield JSON.parse(line);
      }
    } finally {
      gone.abort();
    }
  }

  test("replays, then goes on live, each once and in order", async () => {
    const before = [await tag({ key: "1" }), await tag({ key: "2" })];
    const seen: string[] = [];
    let live: Promise<string[]> | undefined;
    for await (const { id } of lines()) {
      seen.push(id);
      if (seen.length === 2) {
        live = Promise.all(
          Array.from({ length: 20 }, (_, i) => tag({ kind: "live", key: `${i}` })),
        );
      }
      if (seen.length === 22) break;
    }
    expect(seen.slice(0, 2)).toEqual(before);
    expect(seen.slice(2).sort()).toEqual((await live)?.sort());
    const { body } = await get("?kind=live");
    expect(seen.slice(2)).not.toEqual([]);
    expect(new Set(idsOf(body))).toEqual(new Set(seen.slice(2)));
  });

  test("takes up after an artifact, filters, and ends at the tail when asked to", async () => {
    const first = await tag({ kind: "a", key: "1" });
    const second = await tag({ kind: "b", key: "1" });
    const third = await tag({ kind: "a", key: "2" });
    const all = async (query: string) => {
      const ids: string[] = [];
      for await (const { id } of lines(`?follow=false${query}`)) ids.push(id);
      return ids;
    };
    expect(await all("")).toEqual([first, second, third]);
    expect(await all(`&after=${first}`)).toEqual([second, third]);
    expect(await all("&kind=a")).toEqual([first, third]);
    expect(await all(`&session=${await openSession()}`)).toEqual([]);
  });

  test("sees nothing of another agent", async () => {
    const mine = await tag({ key: "mine" });
    const stream = lines();
    expect((await stream.next()).value?.id).toBe(mine);
    const next = stream.next();
    const [ours, oursBase, ourSession] = [agent, base, sessionId];
    agent = await seedAgent(berth);
    await tag({ key: "theirs" }, await openSession());
    [agent, base, sessionId] = [ours, oursBase, ourSession];
    const second = await tag({ key: "mine too" });
    expect((await next).value?.id).toBe(second);
    await stream.return(undefined);
  });
});
