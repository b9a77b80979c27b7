import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_SECRETS, readEvents } from "../../../src/server/sessions";
import {
  claimTurns,
  createSession,
  finishTurn,
  renewLeases,
  sendMessage,
  stopTurn,
  sweepTurns,
} from "../../../src/server/turns";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());

async function typesOf(sessionId: string): Promise<string[]> {
  const page = await readEvents(agent.orgId, sessionId, 0);
  return page!.lines.map((line) => JSON.parse(line).type);
}

const open = () => createSession(agent.ctx, { agentId: agent.agentId, message: "hello" });
const claimAll = async (worker = "w1") =>
  (await claimTurns(worker, 1000)).filter((claim) => claim.orgId === agent.orgId);

test("a new session holds its first message and a queued turn", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const page = await readEvents(agent.orgId, sent.sessionId, 0);
  const events = page!.lines.map((line) => JSON.parse(line));
  expect(events.map((event) => [event.index, event.type])).toEqual([
    [0, "session.started"],
    [1, "message.received"],
  ]);
  expect(events[1]).toMatchObject({
    sessionId: sent.sessionId,
    data: { text: "hello", messageId: sent.messageId },
  });
  expect(new Date(events[1].at).toISOString()).toBe(events[1].at);
  const claims = await claimAll();
  expect(claims).toMatchObject([{ turnId: sent.turnId, attempt: 1, version: 1, epoch: 1 }]);
  expect(claims[0]!.messageIds).toEqual([sent.messageId]);
});

test("text that Postgres cannot hold comes back as it was sent", async () => {
  agent = await seedAgent(berth);
  const message = "nul \u0000 lone \ud83d mark \uE000 emoji 🎉";
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message, title: message });
  const page = await readEvents(agent.orgId, sent.sessionId, 1);
  expect(JSON.parse(page!.lines[0]!).data.text).toBe(message);
});

test("a message of 1 MiB fits and one byte more does not", async () => {
  agent = await seedAgent(berth);
  const message = "é".repeat(512 * 1024);
  await createSession(agent.ctx, { agentId: agent.agentId, message });
  await expect(
    createSession(agent.ctx, { agentId: agent.agentId, message: `${message}a` }),
  ).rejects.toMatchObject({ code: "body_too_large" });
});

test("an agent without an active version, or of nobody, takes no message", async () => {
  agent = await seedAgent(berth);
  await berth.sql("UPDATE agent SET active_version = NULL WHERE id = $1", [agent.agentId]);
  await expect(open()).rejects.toMatchObject({ code: "agent_not_deployed" });
  await expect(createSession(agent.ctx, { agentId: "agt_x", message: "hi" })).rejects.toMatchObject(
    { code: "not_found" },
  );
});

test("a follow-up cancels the running turn and queues its own", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const [claim] = await claimAll();
  const next = await sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId: sent.sessionId,
    message: "no, this",
    continuationToken: sent.continuationToken,
  });
  expect(next.continuationToken).not.toBe(sent.continuationToken);
  expect(await typesOf(sent.sessionId)).toEqual([
    "session.started",
    "message.received",
    "turn.failed",
    "message.received",
  ]);
  expect(await renewLeases("w1", [claim!])).toEqual([claim]);
  expect(await claimAll("w2")).toMatchObject([{ turnId: next.turnId }]);
});

test("of many follow-ups with one token one wins", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      sendMessage(agent.ctx, {
        agentId: agent.agentId,
        sessionId: sent.sessionId,
        message: "me",
        continuationToken: sent.continuationToken,
      }),
    ),
  );
  const codes = results.flatMap((r) => (r.status === "rejected" ? [r.reason.code] : []));
  expect(codes).toEqual(Array.from({ length: 19 }, () => "stale_continuation_token"));
});

test("somebody else of the org is refused and an unknown session is not found", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const to = { agentId: agent.agentId, sessionId: sent.sessionId };
  await expect(sendMessage(agent.otherCtx, { ...to, message: "hi" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(stopTurn(agent.otherCtx, to)).rejects.toMatchObject({ code: "forbidden" });
  const foreign = await seedAgent(berth);
  await expect(stopTurn(foreign.ctx, to)).rejects.toMatchObject({ code: "not_found" });
});

test("stop settles at once and leaves what waits in line", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const [claim] = await claimAll();
  const to = { agentId: agent.agentId, sessionId: sent.sessionId };
  expect(await stopTurn(agent.ctx, to)).toEqual({ stopped: true });
  expect((await typesOf(sent.sessionId)).slice(2)).toEqual(["turn.failed", "session.waiting"]);
  expect(await stopTurn(agent.ctx, to)).toEqual({ stopped: false });
  const owner = { ...claim!, redactor: NO_SECRETS };
  const finished = await finishTurn(owner, {
    status: "completed",
    events: [],
    idle: { type: "session.waiting", data: {} },
    idleStatus: "waiting",
  });
  expect(finished).toBe(false);
});

test("stopping one of two waiting turns leaves the other", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  const to = { agentId: agent.agentId, sessionId: sent.sessionId };
  const second = await sendMessage(agent.ctx, { ...to, message: "second" });
  await stopTurn(agent.ctx, { ...to, turnId: sent.turnId });
  expect(await claimAll()).toMatchObject([{ turnId: second.turnId }]);
});

test("a session runs one turn at a time and an agent as many as it allows", async () => {
  agent = await seedAgent(berth, manifestWith({ maxRunningTurns: 2 }));
  const first = await open();
  await sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId: first.sessionId,
    message: "second",
  });
  await open();
  await open();
  const claims = await claimAll();
  expect(claims).toHaveLength(2);
  expect(new Set(claims.map((claim) => claim.sessionId)).size).toBe(2);
});

test("each org's first turn comes before any org's second", async () => {
  const busy = await seedAgent(berth);
  agent = busy;
  await open();
  await open();
  const late = await seedAgent(berth);
  agent = late;
  await open();
  const claims = await claimTurns("w1", 2);
  expect(claims.map((claim) => claim.orgId)).toEqual([busy.orgId, late.orgId]);
  await claimAll();
});

test("a lost worker's turn goes on elsewhere, and fails after three attempts", async () => {
  agent = await seedAgent(berth);
  const sent = await open();
  for (const attempt of [1, 2, 3]) {
    expect(await claimAll(`w${attempt}`)).toMatchObject([{ turnId: sent.turnId, attempt }]);
    await berth.sql("UPDATE turn SET lease_until = now() - interval '1 second' WHERE id = $1", [
      sent.turnId,
    ]);
    expect(await sweepTurns()).toBe(1);
  }
  expect((await typesOf(sent.sessionId)).slice(2)).toEqual(["turn.failed", "session.waiting"]);
  expect(await claimAll()).toEqual([]);
});
