import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { TurnLoop } from "../../../src/server/runner";
import { createSession } from "../../../src/server/turns";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { startLoop, untilWaiting } from "../../support/turn-harness";

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loop: TurnLoop | undefined;

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(async () => {
  await loop?.drain(5_000);
  loop = undefined;
});
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

const timing = { tries: 2, firstChunkMs: 2_000, chunkMs: 2_000, backoffMs: 1, maxWaitMs: 100 };

async function run(models: string[], message: string): Promise<SessionEvent[]> {
  const manifest = manifestWith({ models: models.map((id) => ({ id, params: {} })) });
  agent = await seedAgent(berth, manifest);
  model.requests.length = 0;
  loop = startLoop({ manifest, model, timing });
  const sent = await createSession(agent.ctx, { agentId: agent.agentId, message });
  return await untilWaiting(agent.orgId, sent.sessionId);
}

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
const asked = () => model.requests.map((request) => request.model);

test.each(["down", "limited", "refusing"])(
  "%s: the second model answers in its place",
  async (bad) => {
    const events = await run([`stub/${bad}`, "stub/well"], "hello");
    expect(ofType(events, "turn.completed")[0]!.data.text).toBe("You said: hello");
    expect(ofType(events, "turn.started")[0]!.data.model).toBe(`stub/${bad}`);
    expect(asked().at(-1)).toBe("well");
    expect(asked().filter((name) => name === bad)).toHaveLength(bad === "refusing" ? 1 : 2);
    const steps = await berth.sql<{ model: string }>("SELECT model FROM step WHERE org_id = $1", [
      agent.orgId,
    ]);
    expect(steps.map((step) => step.model)).toEqual(["well"]);
    const ledger = await berth.sql<{ model: string; try: number }>(
      "SELECT model, try FROM usage_entry WHERE org_id = $1",
      [agent.orgId],
    );
    expect(ledger).toEqual([{ model: "well", try: 3 }]);
  },
);

test("each step asks the first model first, and all of them are asked once they fail", async () => {
  const calls = [{ name: "nothing", input: {} }];
  const events = await run(
    ["stub/down", "stub/limited", "stub/well"],
    scriptText({ calls }, { text: "ok" }),
  );
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("ok");
  const step = ["down", "down", "limited", "limited", "well"];
  expect(asked()).toEqual([...step, ...step]);
});

test("after a part of an answer no other model is asked", async () => {
  const events = await run(["stub/breaking", "stub/well"], "hello");
  expect(ofType(events, "turn.failed")[0]!.data.error.code).toBe("model_error");
  expect(asked()).toEqual(["breaking"]);
});

test("the turn ends as its last model did, and a fallback without a key is left out", async () => {
  const events = await run(["stub/down", "stub/limited", "claude-opus-4"], "hello");
  expect(ofType(events, "turn.failed")[0]!.data.error.code).toBe("model_rate_limited");
  expect(asked()).toEqual(["down", "down", "limited", "limited"]);
});

test("two calls with one id are two calls", async () => {
  const calls = ["a", "b"].map((name) => ({ name, input: {}, id: "same" }));
  const events = await run(["stub/well"], scriptText({ calls }, { text: "ok" }));
  const ids = ofType(events, "action.result").map(({ data }) => data.callId);
  expect(new Set(ids).size).toBe(2);
  const results = model.requests.at(-1)!.messages.filter(({ role }) => role === "tool");
  expect(results.map((result) => result.tool_call_id).sort()).toEqual([...ids].sort());
});
