import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import { appendAsOutsider, NO_SECRETS } from "../../../src/server/sessions";
import { sendMessage } from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { bearerFor, listen, send } from "../../support/test-api";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let headers: { authorization: string };
let web: Awaited<ReturnType<typeof listen>>;
let path: string;
let sessionId: string;

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
  headers = await bearerFor(agent);
  web = await listen();
});
afterAll(async () => {
  await web.close();
  await berth.stop();
});
beforeEach(async () => {
  const base = `/${agent.orgId}/agent/v1/session`;
  const { body } = await send("POST", base, { json: { message: "m0" }, headers });
  sessionId = body.sessionId;
  path = `${base}/${sessionId}`;
});

const follow = (text: string) => send("POST", path, { json: { message: text }, headers });

/** Pieces of a live answer; ends the connection when the test has seen enough. */
async function* pieces(query: string, more: HeadersInit = {}) {
  const gone = new AbortController();
  const response = await fetch(`${web.url}${path}/${query}`, {
    headers: { ...headers, ...more },
    signal: gone.signal,
  });
  expect(response.status).toBe(200);
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) yield decoder.decode(chunk, { stream: true });
  } finally {
    gone.abort();
  }
}

async function take(count: number, query: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let rest = "";
  for await (const piece of pieces(query)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.filter(Boolean).map((line) => JSON.parse(line)));
    if (events.length >= count) break;
  }
  return events;
}

const indexes = (events: { index: number }[]) => events.map((event) => event.index);

describe("stream", () => {
  test("replays, then is live, without a gap or a double", async () => {
    const reading = take(4, "stream?startIndex=0");
    await follow("m1");
    await follow("m2");
    const events = await reading;
    expect(indexes(events)).toEqual(events.map((_, index) => index));
    expect(events.length).toBeGreaterThanOrEqual(4);
  });

  test("waits past the tail for the index that was asked for", async () => {
    const length = (await take(2, "stream")).length;
    const reading = take(1, `stream?startIndex=${length}`);
    await follow("m1");
    expect((await reading)[0]!.index).toBe(length);
  });

  test("ends at the tail without follow", async () => {
    const { body, headers: answered } = await send("GET", `${path}/stream?follow=false`, {
      headers,
    });
    const lines = body
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line));
    expect(lines.map((line: { type: string }) => line.type)).toEqual([
      "session.started",
      "message.received",
      "stream.end",
    ]);
    expect(lines.at(-1)).toEqual({ type: "stream.end", reason: "tail" });
    expect(answered.get("cache-control")).toBe("no-cache, no-transform");
    expect(answered.get("x-accel-buffering")).toBe("no");
    expect(answered.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  });

  test("speaks SSE and resumes after Last-Event-ID", async () => {
    const accept = { accept: "text/event-stream", ...headers };
    const whole = await send("GET", `${path}/stream?follow=false`, { headers: accept });
    expect(whole.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(whole.body).toMatch(/^id: 0\ndata: \{.*"session\.started".*\}\n\nid: 1\ndata: /);
    const resumed = await send("GET", `${path}/stream?follow=false&startIndex=0`, {
      headers: { ...accept, "last-event-id": "0" },
    });
    expect(resumed.body).toMatch(/^id: 1\n/);
  });

  test("refuses indexes that are none, and waits for those no log reaches", async () => {
    for (const bad of ["-1", "1.5", "1e3", "x", "9007199254740992", "01", " 1"]) {
      const answer = await send("GET", `${path}/stream?startIndex=${encodeURIComponent(bad)}`, {
        headers,
      });
      expect(answer, bad).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
    const far = await send("GET", `${path}/stream?follow=false&startIndex=9007199254740991`, {
      headers,
    });
    expect(JSON.parse(far.body)).toEqual({ type: "stream.end", reason: "tail" });
    const twice = await send("GET", `${path}/stream?startIndex=0&startIndex=1`, { headers });
    expect(twice.status).toBe(400);
  });

  test("a reader that stops reading holds nobody up and misses nothing", async () => {
    const slow = pieces("stream");
    await slow.next();
    const text = "x".repeat(200_000);
    for (let i = 0; i < 30; i++) {
      await sendMessage(
        { ...agent.ctx, actor: { kind: "service", id: (await owner()).slice("service:".length) } },
        { agentId: agent.agentId, sessionId, message: text },
      );
    }
    const length = (await send("GET", path, { headers })).body.lastIndex + 1;
    expect(indexes(await take(length, "stream"))).toHaveLength(length);
    let seen = "";
    for await (const piece of slow) {
      seen += piece;
      if (seen.includes(`"index":${length - 1},`)) break;
    }
    expect(seen.match(/"type":"message\.received"/g)).toHaveLength(30);
  });
});

const owner = async (): Promise<string> =>
  (await send("GET", path, { headers })).body.principal as string;

describe("events", () => {
  test("pages, as lines and as an array", async () => {
    await follow("m1");
    const all = await send("GET", `${path}/events?format=json`, { headers });
    expect(indexes(all.body)).toEqual(all.body.map((_: unknown, index: number) => index));
    expect(all.headers.get("content-type")).toBe("application/json");
    const page = await send("GET", `${path}/events?limit=2&startIndex=1`, { headers });
    expect(
      page.body
        .trim()
        .split("\n")
        .map((line: string) => JSON.parse(line).index),
    ).toEqual([1, 2]);
    const none = await send("GET", `${path}/events?format=json&startIndex=1000`, { headers });
    expect(none.body).toEqual([]);
  });

  test("more events than one page of the log", async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => ({
      type: "message.received" as const,
      data: { messageId: `msg_${i}`, text: `${i}`, principal: "user:x" },
    }));
    await appendAsOutsider(agent.orgId, sessionId, many.slice(0, 600), NO_SECRETS);
    await appendAsOutsider(agent.orgId, sessionId, many.slice(600), NO_SECRETS);
    const all = await send("GET", `${path}/events?format=json`, { headers });
    expect(all.body).toHaveLength(1_202);
    expect(all.body.at(-1).data.text).toBe("1199");
  });
});
