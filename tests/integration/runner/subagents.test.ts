import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { Manifest, ToolManifest } from "../../../src/protocol/manifest";
import type { TurnLoop } from "../../../src/server/runner";
import { createSession, stopTurn } from "../../../src/server/turns";
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

const lookup: ToolManifest = {
  ...{ name: "lookup", file: "bot/tools/lookup.ts", description: "look", execution: "server" },
  ...{ effect: "read", needsApproval: "never", timeArgs: [], timeoutMs: 60_000 },
};
const SUBAGENTS: Manifest["subagents"] = [
  {
    ...{ name: "researcher", file: "bot/subagents/researcher/agent.ts" },
    ...{ description: "Background research.", instructions: "You research." },
  },
  {
    ...{ name: "writer", file: "bot/subagents/writer/agent.ts", description: "Writes." },
    model: { id: "stub/other", params: {} },
  },
];
const manifest = (change: Partial<Manifest> = {}) =>
  manifestWith({ subagents: SUBAGENTS, tools: [lookup], harnessTools: ["task"], ...change });

async function start(change: Partial<Manifest> = {}, more: Partial<HarnessOptions> = {}) {
  const made = manifest(change);
  agent = await seedAgent(berth, made);
  const invoke: HarnessOptions["invoke"] = () =>
    Promise.resolve({ outcome: "returned", result: "found", isError: false, effect: "read" });
  const options = { manifest: made, model, invoke, ...more };
  loops.push(startLoop(options));
  return options;
}

const task = (subagent: string, ...steps: ScriptedStep[]) => ({
  name: "task",
  input: { subagent, prompt: scriptText(...steps) },
});
const begin = (...steps: ScriptedStep[]) =>
  createSession(agent.ctx, { agentId: agent.agentId, message: scriptText(...steps) });
async function run(...steps: ScriptedStep[]): Promise<SessionEvent[]> {
  const sent = await begin(...steps);
  return await untilWaiting(agent.orgId, sent.sessionId);
}
const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

test("subagents run side by side, and what they do is logged below their call", async () => {
  let running = 0;
  let release: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  await start(
    {},
    {
      invoke: async () => {
        if (++running === 2) release();
        await both;
        return { outcome: "returned", result: "found", isError: false, effect: "read" };
      },
    },
  );
  const looking: ScriptedStep[] = [
    { reasoning: "hm", calls: [{ name: "lookup", input: {} }] },
    { text: "it is so" },
  ];
  const events = await run(
    { calls: [task("researcher", ...looking), task("writer", ...looking)] },
    { text: "all done" },
  );
  const called = ofType(events, "subagent.called").map(({ data }) => data);
  expect(called.map(({ subagent }) => subagent).sort()).toEqual(["researcher", "writer"]);
  const ids = called.map(({ callId }) => callId);
  expect(ofType(events, "subagent.completed").map(({ data }) => data)).toEqual(
    expect.arrayContaining(ids.map((callId) => ({ callId, status: "finished", text: "it is so" }))),
  );
  const inner = ofType(events, "actions.requested").flatMap(({ data }) => data.calls);
  const parents = inner.filter(({ toolName }) => toolName === "lookup");
  expect(parents.map(({ parentCallId }) => parentCallId).sort()).toEqual([...ids].sort());
  for (const type of ["message.completed", "reasoning.completed"] as const) {
    const below = ofType(events, type).filter(({ data }) => data.parentCallId !== undefined);
    expect(below.map(({ data }) => data.parentCallId).sort()).toEqual([...ids].sort());
  }
  const [first] = events.filter(({ type }) => type === "subagent.called");
  const [requested] = events.filter(({ type }) => type === "actions.requested");
  expect(first!.index).toBeGreaterThan(requested!.index);
  expect(ofType(events, "step.started").map(({ data }) => data.step)).toEqual([0, 1]);
  expect(ofType(events, "turn.completed")[0]!.data).toMatchObject({ text: "all done" });
});

test("a subagent has its own prompt and model or its parent's, and all tools but task", async () => {
  await start({ harnessTools: ["task", "read"] });
  model.requests.length = 0;
  await run(
    { calls: [task("researcher", { text: "a" }), task("writer", { text: "b" })] },
    { text: "done" },
  );
  const of = (name: string) =>
    model.requests.filter(
      (request) =>
        request.model === name && JSON.stringify(request.messages.at(-1)).includes("script"),
    );
  const [other] = of("other");
  const own = of("scripted").find((request) =>
    String(request.messages[0]?.content).includes("You research."),
  );
  const names = (tools: unknown[] = []) =>
    tools.map((tool) => (tool as { function: { name: string } }).function.name);
  expect(names(own!.tools)).toEqual(["lookup", "read"]);
  expect(names(other!.tools)).toEqual(["lookup", "read"]);
  expect(other!.messages[0]).toMatchObject({ role: "system" });
  const parent = model.requests.find(({ tools }) => names(tools).includes("task"));
  expect(JSON.stringify(parent!.tools)).toContain("Background research.");
});

test("a subagent that fails is an error for its parent, and its steps are counted apart", async () => {
  await start({ limits: { steps: 2, wallMs: 60_000 } });
  const again: ScriptedStep = { calls: [{ name: "lookup", input: {} }] };
  const events = await run(
    { calls: [task("researcher", again, again, again), { name: "task", input: { prompt: "x" } }] },
    { text: "went on" },
  );
  expect(ofType(events, "subagent.completed")[0]!.data).toMatchObject({
    status: "failed",
    text: "step_limit: The turn reached its limit of 2 steps.",
  });
  const tasks = ofType(events, "action.result").filter(({ data }) => data.toolName === "task");
  expect(tasks.map(({ data }) => data.isError)).toEqual([true, true]);
  expect(ofType(events, "subagent.called")).toHaveLength(1);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("went on");
});

test("tokens of subagents count for the turn, which ends with them", async () => {
  await start({ limits: { steps: 9, wallMs: 60_000, tokens: 100 } });
  const usage = { input: 90, output: 20 };
  const within = await run(
    { calls: [task("researcher", { text: "a", usage: { input: 9, output: 1 } })] },
    { text: "fine" },
  );
  expect(ofType(within, "turn.completed")).toHaveLength(1);
  const events = await run(
    {
      calls: [
        task("researcher", { calls: [{ name: "lookup", input: {} }], usage }, { text: "never" }),
        task("writer", { delayMs: 5_000, text: "much too late to matter" }),
      ],
    },
    { text: "never" },
  );
  expect(ofType(events, "turn.failed")[0]!.data.error.code).toBe("token_limit");
  expect(ofType(events, "turn.completed")).toEqual([]);
});

test("stopping the turn stops its subagents", async () => {
  await start({}, { invoke: (_call, signal) => untilAborted(signal) });
  const sent = await begin(
    { calls: [task("researcher", { calls: [{ name: "lookup", input: {} }] }, { text: "x" })] },
    { text: "never" },
  );
  const { orgId } = agent;
  const inner = (event: SessionEvent) =>
    event.type === "actions.requested" && event.data.calls[0]?.parentCallId !== undefined;
  await eventsUntil(orgId, sent.sessionId, inner);
  await stopTurn(agent.ctx, { agentId: agent.agentId, sessionId: sent.sessionId });
  const events = await untilWaiting(orgId, sent.sessionId);
  expect(ofType(events, "turn.failed")[0]!.data.status).toBe("cancelled");
  expect(ofType(events, "subagent.completed")).toEqual([]);
  expect(ofType(events, "action.result")).toEqual([]);
});

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

test("after a crash a subagent goes on where it was: nothing is asked or called twice", async () => {
  const calls: string[] = [];
  let stuck = true;
  const invoke: HarnessOptions["invoke"] = (call, signal) => {
    if (call.kind !== "tool") throw new Error("unexpected call");
    const { n } = call.input as { n: number };
    calls.push(String(n));
    if (n === 2 && stuck) return untilAborted(signal); // never answers: its worker dies
    return Promise.resolve({ outcome: "returned", result: n, isError: false, effect: "read" });
  };
  const options = await start({}, { invoke });
  model.requests.length = 0;
  const sent = await begin(
    {
      calls: [
        task(
          "researcher",
          { calls: [{ name: "lookup", input: { n: 1 } }] },
          { calls: [{ name: "lookup", input: { n: 2 } }] },
          { text: "both found" },
        ),
      ],
    },
    { text: "done" },
  );
  const { orgId } = agent;
  await eventsUntil(orgId, sent.sessionId, () => calls.includes("2"));
  await loseLease(berth, sent.turnId);
  stuck = false;
  loops.push(startLoop(options));
  const events = await untilWaiting(orgId, sent.sessionId);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("done");
  expect(calls).toEqual(["1", "2", "2"]);
  expect(ofType(events, "subagent.called")).toHaveLength(1);
  expect(ofType(events, "subagent.completed")).toHaveLength(1);
  expect(ofType(events, "action.result")).toHaveLength(3);
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(model.requests).toHaveLength(5);
});
