import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { decideApproval } from "../../../src/server/approvals";
import { deleteSession } from "../../../src/server/retention";
import type { TurnLoop } from "../../../src/server/runner";
import { getSession } from "../../../src/server/sessions";
import { createSession, type SentMessage, sendMessage, stopTurn } from "../../../src/server/turns";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, type Invoke, startLoop, untilWaiting } from "../../support/turn-harness";

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loop: TurnLoop;

const tool = (name: string, needsApproval: ToolManifest["needsApproval"]): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description: name,
  execution: "server",
  effect: "write",
  needsApproval,
  timeArgs: [],
  timeoutMs: 60_000,
});

const manifest = manifestWith({ tools: [tool("promote", "always"), tool("slow", "never")] });

let promoted = 0;
const invoke: Invoke = (call, signal) => {
  if (call.kind === "gate") {
    const { input } = call;
    return Promise.resolve({ outcome: "open", effect: "write", needsApproval: true, input });
  }
  if (call.kind === "tool" && call.name === "slow") {
    return new Promise((_resolve, reject) =>
      signal!.addEventListener("abort", () => reject(signal!.reason), { once: true }),
    );
  }
  promoted++;
  return Promise.resolve({ outcome: "returned", result: "promoted", isError: false });
};

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
beforeEach(async () => {
  promoted = 0;
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model, invoke });
});
afterEach(() => loop.drain(5_000));
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

const say = (...steps: ScriptedStep[]) =>
  createSession(agent.ctx, { agentId: agent.agentId, message: scriptText(...steps) });

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

/** A turn that waits for the approval of `promote`, set aside or with `slow` still running. */
async function ask(...names: string[]): Promise<SentMessage & { callId: string }> {
  const calls = ["promote", ...names].map((name) => ({ name, input: {} }));
  const sent = await say({ calls }, { text: "done" });
  const { orgId } = agent;
  const events = await eventsUntil(
    orgId,
    sent.sessionId,
    ({ type }) => type === "action.approval_requested",
  );
  const [asked] = ofType(events, "action.approval_requested");
  if (names.length === 0) {
    await expect
      .poll(async () => (await getSession(agent.ctx, idsOf(sent))).status, {
        interval: 20,
        timeout: 10_000,
      })
      .toBe("parked");
  }
  return { ...sent, callId: asked!.data.callId };
}

const idsOf = ({ sessionId }: { sessionId: string }) => ({ agentId: agent.agentId, sessionId });

const lateDecision = (callId: string) =>
  decideApproval(agent.otherCtx, { agentId: agent.agentId, callId, decision: "approve" });

async function expectDenied(
  events: SessionEvent[],
  { callId, sessionId }: { callId: string; sessionId: string },
  reason: string,
): Promise<void> {
  expect(ofType(events, "action.approval_resolved").map(({ data }) => data)).toEqual([
    { callId, decision: "deny", by: "system", reason },
  ]);
  const order = events.map(({ type }) => type);
  expect(order.indexOf("action.approval_resolved")).toBeLessThan(order.indexOf("turn.failed"));
  expect(ofType(events, "turn.failed")).toHaveLength(1);
  await expect(lateDecision(callId)).rejects.toMatchObject({ code: "approval_already_resolved" });
  expect((await getSession(agent.ctx, idsOf({ sessionId }))).pendingApprovals).toEqual([]);
  expect(promoted).toBe(0);
}

test.each([
  ["a turn that is set aside", []],
  ["a turn that runs", ["slow"]],
] as const)("stop denies what waits: %s", async (_name, names) => {
  const asked = await ask(...names);
  expect(await stopTurn(agent.ctx, idsOf(asked))).toEqual({ stopped: true });
  const events = await untilWaiting(agent.orgId, asked.sessionId);
  await expectDenied(events, asked, "It was stopped.");
});

test("a newer message denies what waits, and its turn knows nothing dangling", async () => {
  const asked = await ask();
  const { sessionId } = asked;
  const message = scriptText({ text: "fine" });
  await sendMessage(agent.ctx, { ...idsOf(asked), message });
  const events = await untilWaiting(agent.orgId, sessionId);
  await expectDenied(events, asked, "A newer message took its place.");
  expect(ofType(events, "turn.completed").map(({ data }) => data.text)).toEqual(["fine"]);
  const { messages } = model.requests.at(-1)!;
  const results = messages.filter(({ role }) => role === "tool");
  expect(results.map(({ content }) => content)).toEqual([
    "The call was not run: its turn ended first.",
  ]);
});

test("a turn that fails by itself denies what waits", async () => {
  await loop.drain(0);
  const limits = { steps: 100, wallMs: 5_000 };
  loop = startLoop({ manifest: { ...manifest, limits }, model, invoke });
  const asked = await ask("slow");
  const events = await untilWaiting(agent.orgId, asked.sessionId);
  expect(ofType(events, "turn.failed")[0]!.data.error.code).toBe("turn_timeout");
  await expectDenied(events, asked, "The turn took longer than 5000 ms.");
});

test("a decision that races a stop leaves one resolution and one end each", async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask()));
  const outcomes = await Promise.all(
    asked.map(async (one, i) => {
      const stop = () => stopTurn(agent.ctx, idsOf(one));
      const decide = () =>
        lateDecision(one.callId).then(
          () => true,
          () => false,
        );
      const [first, second] = i % 2 === 0 ? [stop(), decide()] : [decide(), stop()];
      const answers = await Promise.all([first, second]);
      return answers.includes(true);
    }),
  );
  const ends = await Promise.all(
    asked.map(({ sessionId }) => untilWaiting(agent.orgId, sessionId)),
  );
  ends.forEach((events, i) => {
    const resolved = ofType(events, "action.approval_resolved").map(({ data }) => data.decision);
    expect(resolved).toEqual([outcomes[i] ? "approve" : "deny"]);
    const over = events.filter(({ type }) => type === "turn.failed" || type === "turn.completed");
    expect(over).toHaveLength(1);
    expect(events.map(({ index }) => index)).toEqual(events.map((_, n) => n));
  });
  expect(promoted).toBeLessThanOrEqual(outcomes.filter(Boolean).length);
});

test("an erased session takes what waited with it", async () => {
  const asked = await ask();
  await deleteSession(agent.ctx, idsOf(asked));
  await expect(lateDecision(asked.callId)).rejects.toMatchObject({ code: "not_found" });
  expect(await berth.sql("SELECT 1 FROM approval WHERE call_id = $1", [asked.callId])).toEqual([]);
  expect(promoted).toBe(0);
});
