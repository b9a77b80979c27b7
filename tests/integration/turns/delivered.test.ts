import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import type { Ctx } from "../../../src/server/platform/context";
import type { TurnLoop } from "../../../src/server/runner";
import { createSession, sendMessage } from "../../../src/server/turns";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { channelCtx, logProblems, ofType } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, startLoop, untilWaiting } from "../../support/turn-harness";

const look: ToolManifest = {
  name: "look",
  file: "bot/tools/look.ts",
  description: "look",
  execution: "server",
  effect: "read",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
};
/** The model takes more than a second to say it. */
const SLOW = "word ".repeat(12);
const manifest = manifestWith({ tools: [look] });

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let ann: Ctx;
let ben: Ctx;
let loop: TurnLoop;
/** Lets the call that runs return. */
let release: () => void;

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(() => loop.drain(5_000));
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

/** A session whose first turn is inside a call until `release` is called. */
async function inCall(): Promise<string> {
  agent = await seedAgent(berth, manifest);
  [ann, ben] = [channelCtx(agent.ctx), channelCtx(agent.ctx)];
  const returned = new Promise<void>((resolve) => {
    release = resolve;
  });
  const called = new Promise<void>((resolve) => {
    loop = startLoop({
      manifest,
      model,
      invoke: async () => {
        resolve();
        await returned;
        return { outcome: "returned", result: "seen", isError: false };
      },
    });
  });
  const message = scriptText({ calls: [{ name: "look", input: {} }] }, { text: "never said" });
  const { sessionId } = await createSession(ann, {
    agentId: agent.agentId,
    message,
    channel: "talk",
  });
  await called;
  return sessionId;
}

const say = (ctx: Ctx, sessionId: string, message: string) =>
  sendMessage(ctx, {
    ...{ agentId: agent.agentId, sessionId, message },
    ...{ channel: "talk", admission: "coalesce" },
  });

const started = (events: SessionEvent[]) => ofType(events, "turn.started");

test("what the turn's own principal says meanwhile is delivered between two steps", async () => {
  const sessionId = await inCall();
  const sent = [await say(ann, sessionId, "one more"), await say(ann, sessionId, "and this")];
  expect(sent.map(({ turnId }) => turnId)).toEqual([null, null]);
  release();
  const events = await untilWaiting(agent.orgId, sessionId);
  const [turn] = started(events);
  expect(started(events)).toHaveLength(1);
  const [delivered] = ofType(events, "message.delivered");
  expect(delivered).toMatchObject({
    turnId: turn!.data.turnId,
    data: { messageIds: sent.map(({ messageId }) => messageId), turnId: turn!.data.turnId },
  });
  const second = ofType(events, "step.started")[1]!;
  expect(delivered!.index).toBeLessThan(second.index);
  expect(delivered!.index).toBeGreaterThan(ofType(events, "action.result")[0]!.index);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("You said: and this");
  const asked = model.requests.at(-1)!.messages;
  expect(asked.slice(-3).map(({ role }) => role)).toEqual(["tool", "user", "user"]);
  expect(await logProblems(berth, sessionId)).toEqual([]);
});

test("what somebody else says waits for a turn of its own", async () => {
  const sessionId = await inCall();
  const other = await say(ben, sessionId, "mine");
  const own = await say(ann, sessionId, "yours");
  release();
  const events = await eventsUntil(
    agent.orgId,
    sessionId,
    (event, all) => event.type === "session.waiting" && started(all).length === 2,
  );
  const [first, second] = started(events);
  expect(ofType(events, "message.delivered").map(({ data }) => data)).toEqual([
    { messageIds: [own.messageId], turnId: first!.data.turnId },
    { messageIds: [other.messageId], turnId: second!.data.turnId },
  ]);
  expect(ofType(events, "turn.completed").map(({ data }) => data.text)).toEqual([
    "You said: yours",
    "You said: mine",
  ]);
  expect(await logProblems(berth, sessionId)).toEqual([]);
});

test("a delivered message stays the turn's when another worker goes on with it", async () => {
  const sessionId = await inCall();
  await say(ann, sessionId, scriptText({ text: SLOW, delayMs: 100 }));
  release();
  await eventsUntil(agent.orgId, sessionId, (event) => event.type === "message.appended");
  await loop.drain(0);
  loop = startLoop({ manifest, model });
  const events = await untilWaiting(agent.orgId, sessionId);
  expect(started(events).map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(started(events)[1]!.data.messageIds).toHaveLength(2);
  expect(ofType(events, "message.delivered")).toHaveLength(1);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe(SLOW);
  expect(ofType(events, "action.result")).toHaveLength(1);
  expect(await logProblems(berth, sessionId)).toEqual([]);
});
