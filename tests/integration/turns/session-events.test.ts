import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { EVENT_DATA, type SessionEvent } from "../../../src/protocol/event";
import type { TurnLoop } from "../../../src/server/runner";
import { getSession, listSessions } from "../../../src/server/sessions";
import { createSession, sendMessage, stopTurn } from "../../../src/server/turns";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { logOf, ofType } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, startLoop, untilWaiting } from "../../support/turn-harness";

const manifest = manifestWith({ maxRunningTurns: 1 });

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loop: TurnLoop;

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(() => loop.drain(5_000));
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

const open = (message: string, mode: "chat" | "task" = "chat") =>
  createSession(agent.ctx, { agentId: agent.agentId, message, title: "A title", mode });

/** The events as `[type, turnId]`; each has the data that its type must have. */
function shape(events: SessionEvent[]) {
  for (const { type, data } of events) EVENT_DATA[type].parse(data);
  return events.map(({ type, turnId }) => (turnId === undefined ? [type] : [type, turnId]));
}

test("a session's log tells its start, what was said, the line, the turn, and that it waits", async () => {
  agent = await seedAgent(berth, manifest);
  const slow = scriptText({ text: "word ".repeat(6), delayMs: 50 });
  const first = await open(slow);
  const second = await open("hello");
  loop = startLoop({ manifest, model });
  const events = await untilWaiting(agent.orgId, second.sessionId);
  const principal = `service:${agent.ctx.actor.id}`;
  const { turnId, messageId } = second;
  expect(shape(events)).toEqual([
    ["session.started"],
    ["message.received"],
    ["turn.queued", turnId],
    ["turn.started", turnId],
    ["step.started", turnId],
    ...events.filter(({ type }) => type === "message.appended").map(({ type }) => [type, turnId]),
    ["message.completed", turnId],
    ["step.completed", turnId],
    ["turn.completed", turnId],
    ["session.waiting"],
  ]);
  expect(events[0]!.data).toEqual({ channel: "http", mode: "chat", principal, title: "A title" });
  expect(events[1]!.data).toEqual({ messageId, text: "hello", principal });
  expect(events[2]!.data).toEqual({ position: 1 });
  expect(events[3]!.data).toMatchObject({
    turnId,
    messageIds: [messageId],
    attempt: 1,
    version: 1,
  });
  const [completed] = ofType(events, "turn.completed");
  expect(completed!.data).toMatchObject({ status: "finished", text: "You said: hello" });
  const { usage } = await getSession(agent.ctx, {
    agentId: agent.agentId,
    sessionId: second.sessionId,
  });
  expect(usage).toEqual(completed!.data.usage);
  expect(usage.inputTokens).toBeGreaterThan(0);
  await untilWaiting(agent.orgId, first.sessionId);
});

test("a turn that is stopped says so, and its session takes another message", async () => {
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model });
  const { sessionId, turnId } = await open(scriptText({ text: "word ".repeat(20), delayMs: 100 }));
  await eventsUntil(agent.orgId, sessionId, ({ type }) => type === "message.appended");
  await stopTurn(agent.ctx, { agentId: agent.agentId, sessionId, turnId });
  const events = await untilWaiting(agent.orgId, sessionId);
  expect(ofType(events, "turn.failed")).toMatchObject([
    { turnId, data: { status: "cancelled", error: { code: "cancelled" } } },
  ]);
  await sendMessage(agent.ctx, { agentId: agent.agentId, sessionId, message: "again" });
  const after = await untilWaiting(agent.orgId, sessionId, events.length);
  expect(ofType(after, "turn.completed")).toHaveLength(1);
});

test("a task that runs ends its session, completed or failed", async () => {
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model });
  const ended = ({ type }: SessionEvent) =>
    type === "session.completed" || type === "session.failed";
  const done = await open("hello", "task");
  const completed = await eventsUntil(agent.orgId, done.sessionId, ended);
  expect(completed.at(-1)).toMatchObject({
    type: "session.completed",
    data: { text: "You said: hello" },
  });
  const refused = await open(scriptText({ status: 400 }), "task");
  const failed = await eventsUntil(agent.orgId, refused.sessionId, ended);
  expect(failed.at(-1)).toMatchObject({
    type: "session.failed",
    data: { error: { code: "model_error" } },
  });
  expect((await logOf(agent.orgId, refused.sessionId)).at(-1)).toEqual(failed.at(-1));
});

test("the list names each session's current token as its channel and key", async () => {
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model });
  const { sessionId, continuationToken } = await open("hello");
  const sent = await sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId,
    message: "more",
    continuationToken,
  });
  const { sessions } = await listSessions(agent.ctx, { agentId: agent.agentId });
  expect(sessions).toMatchObject([{ id: sessionId, continuationToken: sent.continuationToken }]);
  expect(sent.continuationToken).toMatch(/^http:[A-Za-z0-9]{22}$/);
  expect(sent.continuationToken).not.toBe(continuationToken);
  const parked = await listSessions(agent.ctx, { agentId: agent.agentId, status: "parked" });
  expect(parked.sessions).toEqual([]);
});
