import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import type { ToolOutcome } from "../../../src/protocol/runtime-rpc";
import type { TurnLoop } from "../../../src/server/runner";
import { SandboxError } from "../../../src/server/sandbox";
import { createRedactor } from "../../../src/server/secrets";
import { getSession } from "../../../src/server/sessions";
import { createSession, sendMessage, stopTurn } from "../../../src/server/turns";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import {
  eventsUntil,
  type HarnessOptions,
  type Invoke,
  startLoop,
  untilWaiting,
} from "../../support/turn-harness";

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

const tool = (name: string, change: Partial<ToolManifest> = {}): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description: name,
  execution: "server",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  effect: "read",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
  ...change,
});

const returned = (result: unknown): ToolOutcome => ({
  outcome: "returned",
  result,
  isError: false,
});

async function start(
  tools: ToolManifest[] = [],
  invoke?: Invoke,
  change: Partial<HarnessOptions> = {},
  limits = {},
) {
  const manifest = manifestWith({ tools, limits: { steps: 100, wallMs: 60_000, ...limits } });
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model, ...(invoke ? { invoke } : {}), ...change });
}

const say = (message: string) => createSession(agent.ctx, { agentId: agent.agentId, message });
const script = (...steps: ScriptedStep[]) => say(scriptText(...steps));
const typesOf = (events: SessionEvent[]) => events.map((event) => event.type);
const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

function expectWhole(events: SessionEvent[]): void {
  expect(events.map((event) => event.index)).toEqual(events.map((_, i) => i));
}

test("a turn streams its answer and ends with what it used", async () => {
  await start();
  const sent = await script({
    reasoning: "let me see",
    text: "it is sunny",
    usage: { input: 20, output: 7, cached: 5 },
  });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expectWhole(events);
  const merged = typesOf(events).filter((type, i, all) => type !== all[i - 1]);
  expect(merged).toEqual([
    "session.started",
    "message.received",
    "turn.started",
    "step.started",
    "reasoning.appended",
    "message.appended",
    "reasoning.completed",
    "message.completed",
    "step.completed",
    "turn.completed",
    "session.waiting",
  ]);
  const deltas = ofType(events, "message.appended").map((event) => event.data.delta);
  expect(deltas.join("")).toBe("it is sunny");
  expect(ofType(events, "turn.completed")[0]!.data).toMatchObject({
    status: "finished",
    text: "it is sunny",
    usage: { inputTokens: 20, outputTokens: 7, cacheReadTokens: 5, cacheWriteTokens: 0 },
  });
  expect(ofType(events, "turn.started")[0]!.data).toEqual({
    turnId: sent.turnId,
    messageIds: [sent.messageId],
    model: "stub/scripted",
    attempt: 1,
    version: 1,
  });
  const session = await getSession(agent.ctx, {
    agentId: agent.agentId,
    sessionId: sent.sessionId,
  });
  expect(session).toMatchObject({ status: "waiting", usage: { inputTokens: 20, outputTokens: 7 } });
});

test("calls run side by side and their results reach the model", async () => {
  let running = 0;
  let most = 0;
  let bothRun: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    bothRun = resolve;
  });
  await start([tool("get-weather")], async (call) => {
    if (call.kind !== "tool") throw new Error("unexpected call");
    most = Math.max(most, ++running);
    if (running === 2) bothRun();
    await both;
    running--;
    return returned({ temperature: 21, of: call.input });
  });
  const sent = await script(
    {
      text: "looking",
      calls: [
        { name: "get-weather", input: { city: "Paris" }, id: "same" },
        { name: "get-weather", input: { city: "Rome" }, id: "same" },
      ],
    },
    { text: "done" },
  );
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expectWhole(events);
  expect(most).toBe(2);
  const asked = ofType(events, "actions.requested")[0]!.data.calls;
  expect(asked.map((call) => call.input)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
  expect(new Set(asked.map((call) => call.callId)).size).toBe(2);
  expect(ofType(events, "action.result").map((event) => event.data.isError)).toEqual([
    false,
    false,
  ]);
  expect(ofType(events, "actions.completed")[0]!.data.callIds).toEqual(asked.map((c) => c.callId));
  expect(ofType(events, "step.completed")).toHaveLength(2);
  const seen = model.requests.at(-1)!.messages.filter((message) => message.role === "tool");
  expect(seen.map((message) => JSON.parse(String(message.content)))).toEqual([
    { temperature: 21, of: { city: "Paris" } },
    { temperature: 21, of: { city: "Rome" } },
  ]);
});

test("a follow-up continues the conversation", async () => {
  await start();
  const sent = await say("first");
  const before = await untilWaiting(agent.orgId, sent.sessionId);
  await sendMessage(agent.ctx, {
    agentId: agent.agentId,
    sessionId: sent.sessionId,
    message: "second",
    continuationToken: sent.continuationToken,
  });
  await untilWaiting(agent.orgId, sent.sessionId, before.length);
  const { messages } = model.requests.at(-1)!;
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["system", "Be brief."],
    ["user", "first"],
    ["assistant", "You said: first"],
    ["user", "second"],
  ]);
});

test("what cannot run is an error for the model, not for the turn", async () => {
  await start([tool("broken")], () =>
    Promise.resolve({ outcome: "threw", message: "no such city" }),
  );
  const sent = await script(
    {
      calls: ["broken", "nothing"].map((name) => ({ name, input: {} })),
    },
    { calls: [{ name: "broken", input: "{not json" }] },
    { text: "done" },
  );
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const results = ofType(events, "action.result").map(({ data }) => [
    data.toolName,
    data.isError,
    String(data.result).slice(0, 40),
  ]);
  expect(results.every(([, isError]) => isError === true)).toBe(true);
  const text = JSON.stringify(results);
  expect(text).toContain("no such city");
  expect(text).toContain("no tool nothing");
  expect(text).toContain("not valid");
  expect(ofType(events, "turn.completed")).toHaveLength(1);
});

test("stop aborts the call in flight and nothing of it is appended after", async () => {
  let aborted: Promise<void> | undefined;
  await start([tool("slow")], (_call, signal) => {
    aborted = new Promise((resolve) => signal!.addEventListener("abort", () => resolve()));
    return aborted.then(() => {
      throw new SandboxError("cancelled", "cancelled", { sent: true });
    });
  });
  const sent = await script({ calls: [{ name: "slow", input: {} }] }, { text: "never" });
  await eventsUntil(agent.orgId, sent.sessionId, (event) => event.type === "actions.requested");
  await eventsUntil(agent.orgId, sent.sessionId, () => aborted !== undefined);
  await stopTurn(agent.ctx, { agentId: agent.agentId, sessionId: sent.sessionId });
  await aborted;
  await loop!.drain(5_000);
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(typesOf(events).slice(-2)).toEqual(["turn.failed", "session.waiting"]);
  expect(ofType(events, "turn.failed")[0]!.data).toMatchObject({ status: "cancelled" });
});

test("a secret's value never reaches the log or the model", async () => {
  const redactor = createRedactor({ KEY: "hunter2hunter2" });
  await start([tool("leak")], () => Promise.resolve(returned({ key: "hunter2hunter2" })), {
    redactor,
  });
  const sent = await script(
    { calls: [{ name: "leak", input: {} }] },
    { text: "it is hunter2hunter2 !" },
  );
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const written = JSON.stringify(events.slice(2));
  expect(written).not.toContain("hunter2");
  expect(written).toContain("it is [secret:KEY] !");
  const toModel = model.requests.at(-1)!.messages.filter((message) => message.role === "tool");
  expect(JSON.stringify(toModel)).toContain("[secret:KEY]");
});

test("reasons that quote the process or the model are free of secrets, in the rows too", async () => {
  const value = "hunter2hunter2";
  const fails = () => Promise.reject(new SandboxError("sandbox_failed", `Its output: ${value}`));
  await start([tool("look")], fails, { redactor: createRedactor({ KEY: value }) });
  const before = model.requests.length;
  const calls = [
    { name: "look", input: {} },
    { name: value, input: {} },
    { name: "look", input: `{"no": ${value}` },
  ];
  const sent = await script({ calls }, { text: "end" });
  await untilWaiting(agent.orgId, sent.sessionId);
  const rows = await berth.sql(
    "SELECT row_to_json(c) AS row FROM tool_call c WHERE session_id = $1",
    [sent.sessionId],
  );
  expect(rows).toHaveLength(3);
  expect(JSON.stringify(rows)).not.toContain(value);
  expect(JSON.stringify(rows)).toContain("Its output: [secret:KEY]");
  const [, second] = model.requests.slice(before);
  const told = second!.messages.filter(({ role }) => role !== "user");
  expect(JSON.stringify(told)).not.toContain(value);
});

test("a big result is cut in the log and shorter still for the model", async () => {
  const sizes: Record<string, number> = { a: 1024 * 1024, b: 2 * 1024 * 1024, c: 65 * 1024 * 1024 };
  await start([tool("big")], (call) => {
    if (call.kind !== "tool") throw new Error("unexpected call");
    const { city } = call.input as { city: string };
    return Promise.resolve(returned("x".repeat(sizes[city] ?? 0)));
  });
  const within = await script({ calls: [{ name: "big", input: { city: "a" } }] }, { text: "ok" });
  const whole = await untilWaiting(agent.orgId, within.sessionId);
  expect(String(ofType(whole, "action.result")[0]!.data.result)).toHaveLength(1024 * 1024);
  const beyond = await script({ calls: [{ name: "big", input: { city: "c" } }] }, { text: "ok" });
  const [tooLarge] = ofType(await untilWaiting(agent.orgId, beyond.sessionId), "action.result");
  expect(tooLarge!.data.isError).toBe(true);
  expect(tooLarge!.data.result).toMatch(/^output_too_large: /);
  const sent = await script({ calls: [{ name: "big", input: { city: "b" } }] }, { text: "ok" });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const result = String(ofType(events, "action.result")[0]!.data.result);
  expect(result.length).toBeGreaterThan(256 * 1024);
  expect(result.length).toBeLessThan(257 * 1024);
  const shown = model.requests.at(-1)!.messages.find((message) => message.role === "tool");
  expect(String(shown!.content).length).toBeLessThan(33 * 1024);
  const kept = await berth.sql<{ id: string; size: number }>(
    "SELECT id, size::int AS size FROM artifact WHERE session_id = $1",
    [sent.sessionId],
  );
  expect(kept[0]!.size).toBe(2 * 1024 * 1024);
  expect(String(shown!.content)).toContain(`All of it is the artifact ${kept[0]!.id}.`);
});

test("limits end a turn with their code", async () => {
  await start([tool("again")], () => Promise.resolve(returned("more")), {}, { steps: 3 });
  const sent = await script({ calls: [{ name: "again", input: {} }] });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "turn.failed")[0]!.data).toMatchObject({
    status: "failed",
    error: { code: "step_limit" },
  });
  expect(ofType(events, "step.completed")).toHaveLength(3);
});
