import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../../src/protocol/event";
import {
  appendAsOutsider,
  appendAsOwner,
  DeltaBatcher,
  type LogOwner,
  NO_SECRETS,
  type TailOptions,
  tailSession,
} from "../../../src/server/sessions";
import { claimTurns, createSession, finishTurn, stopTurn } from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let sessionId: string;

beforeAll(async () => {
  berth = await startTestPlatform();
});
beforeEach(async () => {
  agent = await seedAgent(berth);
  ({ sessionId } = await createSession(agent.ctx, { agentId: agent.agentId, message: "hi" }));
});
afterAll(() => berth.stop());

const tail = (change: Partial<TailOptions> = {}) =>
  tailSession({
    orgId: agent.orgId,
    sessionId,
    from: 0,
    follow: true,
    format: "ndjson",
    ...change,
  });

const linesOf = (bytes: Buffer): Record<string, unknown>[] =>
  bytes
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

async function readTo(index: number, change: Partial<TailOptions> = {}) {
  const events: Record<string, unknown>[] = [];
  for await (const bytes of tail(change)) {
    events.push(...linesOf(bytes));
    if (Number(events.at(-1)?.index) >= index) return events;
  }
  return events;
}

const note = (text: string) => ({
  type: "message.received" as const,
  data: { messageId: "msg_x", text, principal: "service:x" },
});

const append = (text: string) => appendAsOutsider(agent.orgId, sessionId, [note(text)], NO_SECRETS);

async function own(): Promise<LogOwner> {
  const claim = (await claimTurns("w", 100)).find((turn) => turn.sessionId === sessionId);
  return { ...claim!, redactor: NO_SECRETS };
}

const delta = (text: string): NewEvent => ({
  type: "message.appended",
  data: { step: 0, blockId: "0.0", delta: text },
});

test("readers see every index once and in order while many write", async () => {
  const last = 2 + 8 * 50 - 1;
  const readers = Array.from({ length: 4 }, () => readTo(last));
  await Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < 50; i++) await append(`${writer}/${i}`);
    }),
  );
  for (const events of await Promise.all(readers)) {
    expect(events.map((event) => event.index)).toEqual(events.map((_, i) => i));
    expect(events).toHaveLength(last + 1);
  }
});

test("resuming anywhere gives the rest, byte for byte", async () => {
  for (let i = 0; i < 20; i++) await append(`text ${i} \u0000 é 🎉`);
  const whole = await readTo(21);
  expect((whole[5]!.data as { text: string }).text).toBe("text 3 \u0000 é 🎉");
  for (const from of [0, 1, 7, 21]) expect(await readTo(21, { from })).toEqual(whole.slice(from));
});

test("an index past the tail waits for it", async () => {
  const later = readTo(4, { from: 4 });
  for (let i = 0; i < 3; i++) await append(`${i}`);
  expect((await later).map((event) => event.index)).toEqual([4]);
});

test("without follow it ends at the tail and says so", async () => {
  const parts: Buffer[] = [];
  for await (const bytes of tail({ follow: false })) parts.push(bytes);
  const events = parts.flatMap(linesOf);
  expect(events.map((event) => event.index ?? event.reason)).toEqual([0, 1, "tail"]);
});

test("as server-sent events every event carries its index as id", async () => {
  const parts: string[] = [];
  for await (const bytes of tail({ follow: false, format: "sse" })) parts.push(String(bytes));
  const blocks = parts.join("").trimEnd().split("\n\n");
  expect(blocks.map((block) => block.split("\n")[0])).toEqual([
    "id: 0",
    "id: 1",
    "event: stream.end",
  ]);
});

test("it ends with the session, after the session's last event", async () => {
  const owner = await own();
  const all = (async () => {
    const events: Record<string, unknown>[] = [];
    for await (const bytes of tail()) events.push(...linesOf(bytes));
    return events;
  })();
  await finishTurn(owner, {
    status: "completed",
    events: [],
    idle: { type: "session.completed", data: { text: "done" } },
    idleStatus: "completed",
  });
  expect((await all).slice(-2).map((event) => event.type)).toEqual([
    "session.completed",
    "stream.end",
  ]);
});

test("a deleted session, or another org's, ends at once", async () => {
  const other = await seedAgent(berth);
  const parts: Buffer[] = [];
  for await (const bytes of tail({ orgId: other.orgId })) parts.push(bytes);
  expect(parts.flatMap(linesOf)).toEqual([{ type: "stream.end", reason: "deleted" }]);
});

test("a slow reader misses nothing and does not hold up the others", async () => {
  const slow = tail();
  await slow.next();
  for (let i = 0; i < 3_000; i += 100) {
    const texts = Array.from({ length: 100 }, (_, k) => note(`${i + k} ${"x".repeat(200)}`));
    await appendAsOutsider(agent.orgId, sessionId, texts, NO_SECRETS);
  }
  await readTo(3_001);
  const events: Record<string, unknown>[] = [];
  for await (const bytes of slow) {
    events.push(...linesOf(bytes));
    if (events.at(-1)?.index === 3_001) break;
  }
  expect(events.map((event) => event.index)).toEqual(events.map((_, i) => i + 2));
});

test("a reader that leaves ends its tail", async () => {
  const controller = new AbortController();
  const done = (async () => {
    for await (const _ of tail({ signal: controller.signal })) controller.abort();
  })();
  await done;
});

test("deltas of one block are merged while they wait, and keep their order", async () => {
  const owner = await own();
  const batcher = new DeltaBatcher();
  const stream = batcher.open(owner, () => undefined);
  stream.push(delta("a"), true);
  const first = await readTo(2, { from: 2 });
  expect(first[0]).toMatchObject({ type: "message.appended", data: { delta: "a" } });
  for (const text of "bcdef") stream.push(delta(text), false);
  expect(await stream.drain()).toMatchObject([{ data: { delta: "bcdef" } }]);
  stream.close();
});

test("deltas wait for a locked session and leave the others alone", async () => {
  const owner = await own();
  const other = await createSession(agent.ctx, { agentId: agent.agentId, message: "other" });
  const claim = (await claimTurns("w", 100)).find((turn) => turn.turnId === other.turnId)!;
  const client = await berth.platform.pool.connect();
  const batcher = new DeltaBatcher();
  const locked = batcher.open(owner, () => undefined);
  const free = batcher.open({ ...claim, redactor: NO_SECRETS }, () => undefined);
  try {
    await client.query(`BEGIN; SELECT set_config('app.org', '${agent.orgId}', true)`);
    await client.query("SELECT 1 FROM session WHERE id = $1 FOR UPDATE", [sessionId]);
    locked.push(delta("held"), true);
    free.push(delta("free"), true);
    const seen = await readTo(2, { sessionId: other.sessionId, from: 2 });
    expect(seen[0]).toMatchObject({ data: { delta: "free" } });
    await client.query("COMMIT");
  } finally {
    client.release();
  }
  expect((await readTo(2, { from: 2 }))[0]).toMatchObject({ data: { delta: "held" } });
  locked.close();
  free.close();
});

test("a stopped turn's deltas are refused and its writer is told", async () => {
  const owner = await own();
  const batcher = new DeltaBatcher();
  await stopTurn(agent.ctx, { agentId: agent.agentId, sessionId });
  const told = new Promise<void>((resolve) => {
    batcher.open(owner, resolve).push(delta("late"), true);
  });
  await told;
  expect(await appendAsOwner(owner, [delta("later")])).toEqual({ fenced: true });
  const events = await readTo(3);
  expect(events.slice(2).map((event) => event.type)).toEqual(["turn.failed", "session.waiting"]);
});
