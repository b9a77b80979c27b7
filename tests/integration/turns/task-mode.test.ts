import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getSession, tailSession } from "../../../src/server/sessions";
import {
  claimTurns,
  createSession,
  sendMessage,
  stopTurn,
  sweepTurns,
} from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { complete, logOf, logProblems } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;
let agent: SeededAgent;

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());
beforeEach(async () => {
  agent = await seedAgent(berth);
});

const task = () =>
  createSession(agent.ctx, { agentId: agent.agentId, message: "do it", mode: "task" });
const to = (sessionId: string) => ({ agentId: agent.agentId, sessionId });
const claim = async () => (await claimTurns("w1", 1000)).find(({ orgId }) => orgId === agent.orgId);

async function expectEnded(sessionId: string, last: object, status: "completed" | "failed") {
  const events = await logOf(agent.orgId, sessionId);
  expect(events.at(-1)).toMatchObject(last);
  expect(await logProblems(berth, sessionId)).toEqual([]);
  expect((await getSession(agent.ctx, to(sessionId))).status).toBe(status);
  for (const admission of ["preempt", "coalesce"] as const) {
    await expect(
      sendMessage(agent.ctx, { ...to(sessionId), message: "more", admission }),
    ).rejects.toMatchObject({ code: "session_not_followable", status: 409 });
  }
  let text = "";
  const tail = { orgId: agent.orgId, sessionId, from: 0, follow: true, format: "ndjson" } as const;
  for await (const bytes of tailSession(tail)) text += bytes.toString("utf8");
  expect(text.trimEnd().split("\n").at(-1)).toContain('"stream.end"');
}

test("a task takes no follow-up while it runs", async () => {
  const { sessionId } = await task();
  await claim();
  await expect(
    sendMessage(agent.ctx, { ...to(sessionId), message: "more", admission: "coalesce" }),
  ).rejects.toMatchObject({ code: "session_not_followable" });
});

test("a task that is done ends its session with what it said", async () => {
  const { sessionId } = await task();
  await complete((await claim())!, "all done");
  const last = { type: "session.completed", data: { text: "all done" } };
  await expectEnded(sessionId, last, "completed");
});

test("a task that is stopped, running or waiting, ends its session", async () => {
  for (const running of [true, false]) {
    const { sessionId } = await task();
    if (running) await claim();
    expect(await stopTurn(agent.ctx, to(sessionId))).toEqual({ stopped: true });
    const last = { type: "session.failed", data: { error: { code: "cancelled" } } };
    await expectEnded(sessionId, last, "failed");
    expect(await claim()).toBeUndefined();
  }
});

test("a task that lost three workers ends its session", async () => {
  const { sessionId, turnId } = await task();
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await claim()).toMatchObject({ turnId, attempt });
    await berth.sql("UPDATE turn SET lease_until = now() - interval '1 s' WHERE id = $1", [turnId]);
    expect(await sweepTurns()).toBe(1);
  }
  const last = { type: "session.failed", data: { error: { code: "attempts_exhausted" } } };
  await expectEnded(sessionId, last, "failed");
});

test("a chat waits for the next message after each of these", async () => {
  const chat = await createSession(agent.ctx, { agentId: agent.agentId, message: "hi" });
  await complete((await claim())!);
  expect((await getSession(agent.ctx, to(chat.sessionId))).status).toBe("waiting");
  await sendMessage(agent.ctx, { ...to(chat.sessionId), message: "more" });
  await stopTurn(agent.ctx, to(chat.sessionId));
  await sendMessage(agent.ctx, { ...to(chat.sessionId), message: "more" });
  await complete((await claim())!);
  const types = (await logOf(agent.orgId, chat.sessionId)).map(({ type }) => type);
  expect(types.filter((type) => type === "session.waiting")).toHaveLength(3);
  expect(types.at(-1)).toBe("session.waiting");
});
