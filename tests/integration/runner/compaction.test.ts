import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { Manifest } from "../../../src/protocol/manifest";
import type { TurnLoop } from "../../../src/server/runner";
import { getSession } from "../../../src/server/sessions";
import { createSession, sendMessage } from "../../../src/server/turns";
import { type ScriptedStep, scriptText, sequenceText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import {
  eventsUntil,
  type HarnessOptions,
  loseLease,
  startLoop,
  untilWaiting,
} from "../../support/turn-harness";

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
const loops: TurnLoop[] = [];

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.drain(5_000);
});
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

async function start(contextTokens: number, change: Partial<Manifest> = {}) {
  const manifest = manifestWith({
    tools: [
      {
        ...{ name: "look", file: "bot/tools/look.ts", description: "look", execution: "server" },
        ...{ effect: "read", needsApproval: "never", timeArgs: [], timeoutMs: 60_000 },
      },
    ],
    harnessTools: ["task"],
    ...change,
  });
  agent = await seedAgent(berth, manifest);
  model.requests.length = 0;
  const options: HarnessOptions = {
    ...{ manifest, model, contextTokens },
    invoke: () =>
      Promise.resolve({
        ...{ outcome: "returned", result: "x".repeat(400), isError: false, effect: "read" },
      }),
  };
  loops.push(startLoop(options));
  return options;
}

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
const look = (input: number): ScriptedStep => ({
  calls: [{ name: "look", input: {} }],
  usage: { input, output: 10 },
});
const isSummary = (request: ScriptedModel["requests"][number]) =>
  String(request.messages.at(-1)?.content).startsWith("<conversation>");

test("near the end of the window older steps become a summary, and no result loses its call", async () => {
  await start(1_000);
  const message = sequenceText("near", look(100), look(300), look(780), { text: "done" });
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const compacted = ofType(events, "context.compacted");
  expect(compacted).toHaveLength(1);
  const { fromStep, beforeTokens, afterTokens } = compacted[0]!.data;
  expect(beforeTokens).toBeGreaterThanOrEqual(800);
  expect(afterTokens).toBeLessThan(beforeTokens);
  expect(fromStep).toBeGreaterThan(0);
  expect(fromStep).toBeLessThan(3);
  expect(ofType(events, "turn.completed")[0]!.data.usage.inputTokens).toBe(
    100 + 300 + 780 + 10 + 10,
  );
  const asked = model.requests.find(isSummary);
  expect(String(asked!.messages.at(-1)?.content)).toContain("look answers:");
  const last = model.requests.at(-1)!.messages;
  expect(last.map(({ role }) => role)).toEqual([
    ...["system", "user", "user"],
    ...Array.from({ length: 3 - fromStep }, () => ["assistant", "tool"]).flat(),
  ]);
  expect(last[1]!.content).toBe("What happened before, summed up:\nsummed up");
  expect(last[2]!.content).toBe(message);
  const ledger = await berth.sql<{ n: number }>(
    "SELECT count(*)::int AS n FROM usage_entry WHERE turn_id = $1",
    [sent.turnId],
  );
  expect(ledger[0]!.n).toBe(5);
});

test("below the mark nothing is compacted", async () => {
  await start(2_000);
  const message = scriptText(look(100), look(300), look(780), { text: "done" });
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "context.compacted")).toEqual([]);
  expect(model.requests.some(isSummary)).toBe(false);
});

test("later turns start from the summary, which is made once", async () => {
  await start(1_000);
  const { agentId } = agent;
  const first = scriptText({ text: "one", usage: { input: 850, output: 10 } });
  const sent = await createSession(agent.ctx, { agentId, message: first });
  await untilWaiting(agent.orgId, sent.sessionId);
  const { lastIndex } = await getSession(agent.ctx, { agentId, sessionId: sent.sessionId });
  const { sessionId } = sent;
  const second = await sendMessage(agent.ctx, { agentId, sessionId, message: "two" });
  const events = await untilWaiting(agent.orgId, sessionId, lastIndex + 1);
  expect(second.turnId).toBeTruthy();
  expect(ofType(events, "context.compacted").map(({ data }) => data.fromStep)).toEqual([0]);
  await sendMessage(agent.ctx, { agentId, sessionId, message: "three" });
  await untilWaiting(agent.orgId, sessionId, events.at(-1)!.index + 1);
  expect(model.requests.filter(isSummary)).toHaveLength(1);
  expect(
    model.requests
      .at(-1)!
      .messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(["What happened before, summed up:\nsummed up", "two", "You said: two", "three"]);
});

test("a subagent's conversation is compacted on its own", async () => {
  await start(1_000, {
    subagents: [{ name: "helper", file: "bot/subagents/helper/agent.ts", description: "Helps." }],
  });
  const prompt = sequenceText("helper", look(100), look(850), { text: "helped" });
  const message = scriptText(
    { calls: [{ name: "task", input: { subagent: "helper", prompt } }] },
    { text: "done" },
  );
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "subagent.completed")[0]!.data.text).toBe("helped");
  expect(ofType(events, "context.compacted")).toHaveLength(1);
  const parents = await berth.sql<{ parent: string }>(
    "SELECT parent_call_id AS parent FROM compaction WHERE turn_id = $1",
    [sent.turnId],
  );
  expect(parents[0]!.parent).toMatch(/^call_/);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("done");
});

test("a summary outlives the worker that made it: the next one goes on from it", async () => {
  const options = await start(1_000);
  const { orgId, agentId } = agent;
  const message = sequenceText("lost", look(100), look(850), { hang: "start" }, { text: "done" });
  const sent = await createSession(agent.ctx, { agentId, message });
  await eventsUntil(orgId, sent.sessionId, ({ type }) => type === "context.compacted");
  await expect.poll(() => model.requests.length).toBe(4);
  await loseLease(berth, sent.turnId);
  loops.push(startLoop(options));
  const events = await untilWaiting(orgId, sent.sessionId);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("done");
  expect(ofType(events, "context.compacted")).toHaveLength(1);
  expect(model.requests.filter(isSummary)).toHaveLength(1);
  expect(model.requests.at(-1)!.messages[1]!.content).toContain("summed up");
});
