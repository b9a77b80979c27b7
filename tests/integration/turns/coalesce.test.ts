import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Ctx } from "../../../src/server/platform/context";
import { getSession } from "../../../src/server/sessions";
import {
  type Claim,
  claimTurns,
  createSession,
  sendMessage,
  stopTurn,
} from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import {
  channelCtx,
  complete,
  logOf,
  logProblems,
  ofType,
  typesFrom,
} from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;
let ann: Ctx;
let ben: Ctx;
let cas: Ctx;
/** A session of the channel `talk`, opened by Ann. */
let session: { sessionId: string; turnId: string; messageId: string };

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());
beforeEach(async () => {
  agent = await seedAgent(berth);
  [ann, ben, cas] = [channelCtx(agent.ctx), channelCtx(agent.ctx), channelCtx(agent.ctx)];
  session = await createSession(ann, {
    agentId: agent.agentId,
    message: "first",
    channel: "talk",
  });
});

const claim = async (): Promise<Claim | undefined> =>
  (await claimTurns("w1", 1000)).find(({ orgId }) => orgId === agent.orgId);
const to = () => ({ agentId: agent.agentId, sessionId: session.sessionId });
const say = (ctx: Ctx, message: string, admission: "preempt" | "coalesce" = "coalesce") =>
  sendMessage(ctx, { ...to(), message, channel: "talk", admission });
const log = () => logOf(agent.orgId, session.sessionId);
const status = async () => (await getSession(ann, to())).status;
const clear = async () => {
  expect(await logProblems(berth, session.sessionId)).toEqual([]);
};

test("coalescing in an idle session starts a turn", async () => {
  await complete((await claim())!);
  const sent = await say(ann, "second");
  expect(sent.turnId).toMatch(/^trn_/);
  expect((await claim())!.turnId).toBe(sent.turnId);
});

test("a turn that has not begun takes its own principal's messages and nobody else's", async () => {
  const joined = await say(ann, "second");
  expect(joined.turnId).toBe(session.turnId);
  const other = await say(ben, "mine");
  expect(other.turnId).not.toBe(session.turnId);
  expect((await say(ben, "mine too")).turnId).toBe(other.turnId);
  const first = (await claim())!;
  expect(first).toMatchObject({
    turnId: session.turnId,
    messageIds: [session.messageId, joined.messageId],
  });
  await complete(first);
  expect((await claim())!.principal).toBe(`channel:${ben.actor.id}`);
  expect(ofType(await log(), "message.delivered")).toEqual([]);
});

test("what nobody delivers becomes one follow-up turn for each principal, in order", async () => {
  const first = (await claim())!;
  const sent = [];
  for (const [who, text] of [
    [ben, "b1"],
    [ann, "a1"],
    [ben, "b2"],
    [cas, "c1"],
  ] as const) {
    sent.push(await say(who, text));
  }
  expect(sent.map(({ turnId }) => turnId)).toEqual([null, null, null, null]);
  expect(await status()).toBe("running");
  await complete(first);
  const [b1, a1, b2, c1] = sent.map(({ messageId }) => messageId);
  const delivered = ofType(await log(), "message.delivered").map(({ data }) => data);
  expect(delivered.map(({ messageIds }) => messageIds)).toEqual([[b1, b2], [a1], [c1]]);
  expect(await status()).toBe("queued");
  for (const [i, who] of [ben, ann, cas].entries()) {
    const next = (await claim())!;
    expect(next.turnId).toBe(delivered[i]!.turnId);
    expect(next).toMatchObject({
      messageIds: delivered[i]!.messageIds,
      principal: `channel:${who.actor.id}`,
      owner: `channel:${ann.actor.id}`,
    });
    expect(await claim()).toBeUndefined();
    await complete(next);
  }
  expect(await status()).toBe("waiting");
  await clear();
});

test("preempting lines up what had waited before the new message", async () => {
  await claim();
  const waited = await say(ben, "b1");
  const next = await say(ann, "now", "preempt");
  const events = await log();
  expect(events.slice(2).map(({ type }) => type)).toEqual([
    "message.received",
    "turn.failed",
    "message.delivered",
    "message.received",
    "turn.queued",
  ]);
  const [delivered] = ofType(events, "message.delivered");
  expect(delivered!.data.messageIds).toEqual([waited.messageId]);
  const second = (await claim())!;
  expect(second.turnId).toBe(delivered!.data.turnId);
  await complete(second);
  expect((await claim())!.turnId).toBe(next.turnId);
});

test("stopping leaves what waits, and with clearQueued every message ends", async () => {
  await claim();
  await say(ben, "b1");
  expect(await stopTurn(ann, to())).toEqual({ stopped: true });
  const second = (await claim())!;
  expect(second.principal).toBe(`channel:${ben.actor.id}`);
  const [pending, other] = [await say(ben, "b2"), await say(cas, "c1")];
  const queued = await say(ann, "a1", "preempt").then(() => claim());
  expect(queued!.messageIds).toEqual([pending.messageId]);
  await say(cas, "c2");
  expect(await stopTurn(ann, { ...to(), clearQueued: true })).toEqual({ stopped: true });
  expect(await status()).toBe("waiting");
  expect(await claim()).toBeUndefined();
  expect((await typesFrom(agent.orgId, session.sessionId)).at(-1)).toBe("session.waiting");
  const cancelledTurns = await berth.sql<{ id: string; status: string }>(
    "SELECT m.id, t.status FROM message m JOIN turn t ON t.id = m.turn_id WHERE m.session_id = $1",
    [session.sessionId],
  );
  expect(new Set(cancelledTurns.map((row) => row.status))).toEqual(new Set(["cancelled"]));
  expect(cancelledTurns.map(({ id }) => id)).toContain(other.messageId);
  expect(cancelledTurns).toHaveLength(6);
  await clear();
});

test("stop with the id of a turn that is over stops nothing", async () => {
  const first = (await claim())!;
  await complete(first);
  await say(ann, "second");
  const second = (await claim())!;
  await say(ann, "third");
  const late = { ...to(), turnId: first.turnId, clearQueued: true };
  expect(await stopTurn(ann, late)).toEqual({ stopped: false });
  expect(await stopTurn(ann, { ...to(), turnId: second.turnId })).toEqual({ stopped: true });
  expect((await claim())!.messageIds).toHaveLength(1);
});

test("a parked turn takes no message, and preempting ends it", async () => {
  const first = (await claim())!;
  await berth.sql("SELECT berth_park_turn($1, $2, $3, $4, '{}', '{}')", [
    ...[first.orgId, first.sessionId, first.turnId, first.epoch],
  ]);
  expect(await status()).toBe("parked");
  const waits = await say(ann, "second");
  expect(waits.turnId).toBeNull();
  expect(await status()).toBe("parked");
  expect(await claim()).toBeUndefined();
  const now = await say(ann, "third", "preempt");
  const second = (await claim())!;
  expect(second.messageIds).toEqual([waits.messageId]);
  await complete(second);
  expect((await claim())!.turnId).toBe(now.turnId);
  expect(await stopTurn(ann, to())).toEqual({ stopped: true });
  await clear();
});

test("stop ends a parked turn and denies what it waits for", async () => {
  const first = (await claim())!;
  await berth.sql("SELECT berth_park_turn($1, $2, $3, $4, '{}', '{}')", [
    ...[first.orgId, first.sessionId, first.turnId, first.epoch],
  ]);
  await berth.sql(
    `INSERT INTO approval (org_id, call_id, session_id, turn_id, agent_id, version, tool_name, input,
       hash, expires_at)
     VALUES ($1, 'call_1', $2, $3, $4, 1, 'gated', '{}', 'h', now() + interval '1 day')`,
    [first.orgId, first.sessionId, first.turnId, first.agentId],
  );
  expect(await stopTurn(ann, { ...to(), turnId: first.turnId })).toEqual({ stopped: true });
  const events = await log();
  expect(events.slice(2).map(({ type }) => type)).toEqual([
    "action.approval_resolved",
    "turn.failed",
    "session.waiting",
  ]);
  expect(ofType(events, "action.approval_resolved")[0]).toMatchObject({
    turnId: first.turnId,
    data: { callId: "call_1", decision: "deny", by: "system", reason: "It was stopped." },
  });
});

test("coalescing rotates an HTTP session's token, and a channel's key stays", async () => {
  const before = (await getSession(ann, to())).continuationToken;
  expect((await say(ann, "second")).continuationToken).toBe(before);
  const http = await createSession(ann, { agentId: agent.agentId, message: "hi" });
  expect(http.continuationToken).toMatch(/^http:[A-Za-z0-9]{22}$/);
  const input = { agentId: agent.agentId, sessionId: http.sessionId, message: "m" } as const;
  const token = { continuationToken: http.continuationToken };
  const sent = await sendMessage(ann, { ...input, ...token, admission: "coalesce" });
  expect(sent.continuationToken).not.toBe(http.continuationToken);
  await expect(
    sendMessage(ann, { ...input, ...token, admission: "coalesce" }),
  ).rejects.toMatchObject({ code: "stale_continuation_token" });
});

test("a channel lets people into its own sessions only", async () => {
  const http = await createSession(ann, { agentId: agent.agentId, message: "hi" });
  const input = { agentId: agent.agentId, sessionId: http.sessionId, message: "m" };
  await expect(sendMessage(ben, { ...input, channel: "talk" })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(sendMessage(ben, { ...to(), message: "m" })).rejects.toMatchObject({
    code: "forbidden",
  });
});
