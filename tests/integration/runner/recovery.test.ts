import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { runTurn, type TurnLoop } from "../../../src/server/runner";
import { SandboxError } from "../../../src/server/sandbox";
import { claimTurns, createSession, sweepTurns } from "../../../src/server/turns";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import {
  eventsUntil,
  type Invoke,
  loseLease,
  portsOf,
  startLoop,
  untilWaiting,
} from "../../support/turn-harness";

const QUICK = { tries: 3, firstChunkMs: 300, chunkMs: 300, backoffMs: 5, maxWaitMs: 1_500 };

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

const tool = (name: string, effect: ToolManifest["effect"]): ToolManifest => ({
  name,
  file: `bot/tools/${name}.ts`,
  description: name,
  execution: "server",
  effect,
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
});

const manifest = manifestWith({
  tools: [tool("look", "read"), tool("change", "write"), tool("either", "function")],
});

async function script(...steps: ScriptedStep[]) {
  agent = await seedAgent(berth, manifest);
  return createSession(agent.ctx, { agentId: agent.agentId, message: scriptText(...steps) });
}

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

const run = (invoke?: Invoke) =>
  startLoop({ manifest, model, timing: QUICK, ...(invoke ? { invoke } : {}) });

/** Runs the turn's first attempt until `invoke` is called, and then loses its worker. */
async function loseWorkerInCall(turnId: string, finish: string[] = []): Promise<void> {
  const [claim] = (await claimTurns("lost", 100)).filter((turn) => turn.turnId === turnId);
  const called = new Promise<void>((resolve) => {
    const invoke: Invoke = (call) => {
      if (call.kind === "tool" && finish.includes(call.name)) {
        return Promise.resolve({ outcome: "returned", result: call.name, isError: false });
      }
      resolve();
      return new Promise(() => undefined);
    };
    void runTurn(claim!, portsOf({ manifest, model, invoke }), new AbortController().signal);
  });
  await called;
}

async function expireLease(turnId: string): Promise<void> {
  await berth.sql("UPDATE turn SET lease_until = now() - interval '1 s' WHERE id = $1", [turnId]);
  expect(await sweepTurns()).toBe(1);
}

test("an interrupted read is tried again and an interrupted write is not", async () => {
  const sent = await script(
    {
      text: "both",
      calls: [
        { name: "look", input: {} },
        { name: "change", input: {} },
      ],
    },
    { text: "done" },
  );
  await loseWorkerInCall(sent.turnId);
  await expireLease(sent.turnId);
  const ran: string[] = [];
  loop = run((call) => {
    if (call.kind === "tool") ran.push(call.name);
    return Promise.resolve({ outcome: "returned", result: "seen", isError: false });
  });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(events.map((event) => event.index)).toEqual(events.map((_, i) => i));
  expect(ran).toEqual(["look"]);
  expect(ofType(events, "turn.started").map((event) => event.data.attempt)).toEqual([1, 2]);
  expect(ofType(events, "action.tool_retry").map((event) => event.data.attempt)).toEqual([2]);
  const results = ofType(events, "action.result");
  expect(results.find((event) => event.data.toolName === "look")!.data).toMatchObject({
    isError: false,
    result: "seen",
  });
  const change = results.find((event) => event.data.toolName === "change")!.data;
  expect(change.isError).toBe(true);
  expect(String(change.result)).toContain("may or may not");
  expect(ofType(events, "actions.requested")).toHaveLength(1);
  expect(ofType(events, "actions.completed")).toHaveLength(1);
  expect(ofType(events, "step.started").map((event) => event.data.step)).toEqual([0, 1]);
});

test("an effect that is a function is asked about each interrupted input", async () => {
  const calls = ["GET", "PUT"].map((method) => ({ name: "either", input: { method } }));
  const sent = await script({ calls }, { text: "done" });
  await loseWorkerInCall(sent.turnId);
  await expireLease(sent.turnId);
  const ran: unknown[] = [];
  loop = run((call) => {
    if (call.kind === "gate") {
      const effect = JSON.stringify(call.input).includes("GET") ? "read" : "write";
      const { input } = call;
      return Promise.resolve({ outcome: "open", effect, needsApproval: false, input });
    }
    if (call.kind === "tool") ran.push(call.input);
    return Promise.resolve({ outcome: "returned", result: "seen", isError: false });
  });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran).toEqual([{ method: "GET" }]);
  expect(ofType(events, "action.tool_retry")).toHaveLength(1);
  const results = ofType(events, "action.result").map(({ data }) => data.isError);
  expect(results.sort()).toEqual([false, true]);
});

test("a finished call is not repeated and the model is not asked twice", async () => {
  const sent = await script(
    {
      calls: [
        { name: "change", input: {} },
        { name: "look", input: {} },
      ],
    },
    { text: "done" },
  );
  const before = model.requests.length;
  await loseWorkerInCall(sent.turnId, ["change"]);
  await eventsUntil(agent.orgId, sent.sessionId, (event) => event.type === "action.result");
  await expireLease(sent.turnId);
  const ran: string[] = [];
  loop = run((call) => {
    if (call.kind === "tool") ran.push(call.name);
    return Promise.resolve({ outcome: "returned", result: "seen", isError: false });
  });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran).toEqual(["look"]);
  expect(ofType(events, "action.result")).toHaveLength(2);
  expect(model.requests.length - before).toBe(2);
});

test("a worker that lost its turn writes nothing more", async () => {
  const sent = await script({ calls: [{ name: "look", input: {} }] }, { text: "done" });
  const [claim] = (await claimTurns("zombie", 100)).filter((turn) => turn.turnId === sent.turnId);
  let answer: (value: unknown) => void = () => undefined;
  const called = new Promise<void>((resolve) => {
    const invoke: Invoke = () => {
      resolve();
      return new Promise((result) => {
        answer = result;
      });
    };
    zombie = runTurn(claim!, portsOf({ manifest, model, invoke }), new AbortController().signal);
  });
  await called;
  await expireLease(sent.turnId);
  loop = run(() => Promise.resolve({ outcome: "returned", result: "new", isError: false }));
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  answer({ outcome: "returned", result: "old", isError: false });
  await zombie;
  const [{ n }] = (await berth.sql<{ n: number }>(
    "SELECT count(*)::int AS n FROM event WHERE session_id = $1",
    [sent.sessionId],
  )) as [{ n: number }];
  expect(n).toBe(events.length);
  expect(ofType(events, "action.result").map((event) => event.data.result)).toEqual(["new"]);
});
let zombie: Promise<void>;

test("a sandbox that dies is tried again for reads only", async () => {
  const sent = await script(
    {
      calls: [
        { name: "look", input: {} },
        { name: "change", input: {} },
      ],
    },
    { text: "done" },
  );
  let looks = 0;
  loop = run((call) => {
    if (call.kind === "tool" && call.name === "look" && ++looks === 3) {
      return Promise.resolve({ outcome: "returned", result: "third", isError: false });
    }
    return Promise.reject(new SandboxError("runtime_lost", "the process died", { sent: true }));
  });
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "action.tool_retry").map((event) => event.data.attempt)).toEqual([2, 3]);
  const results = ofType(events, "action.result").map(({ data }) => [data.toolName, data.isError]);
  expect(new Map(results as [string, boolean][])).toEqual(
    new Map([
      ["look", false],
      ["change", true],
    ]),
  );
});

test("a worker that gets back a turn it had lost gives the older attempt up", async () => {
  const sent = await script({ calls: [{ name: "look", input: {} }] }, { text: "done" });
  const signals: AbortSignal[] = [];
  loop = run((_call, signal) => {
    signals.push(signal!);
    if (signals.length > 1) {
      return Promise.resolve({ outcome: "returned", result: "seen", isError: false });
    }
    return new Promise((_resolve, reject) => {
      signal!.addEventListener("abort", () => reject(signal!.reason));
    });
  });
  await expect.poll(() => signals.length).toBe(1);
  await loseLease(berth, sent.turnId);
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "turn.completed")).toHaveLength(1);
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

const ENDS: [string, ScriptedStep, string | undefined][] = [
  ["429 once", { status: 429, retryAfterS: 1, times: 1, text: "fine" }, undefined],
  ["500 twice", { status: 500, times: 2, text: "fine" }, undefined],
  ["garbage once", { garbage: true, times: 1, text: "fine" }, undefined],
  ["a hang once", { hang: "start", times: 1, text: "fine" }, undefined],
  ["429 for ever", { status: 429, text: "never" }, "model_rate_limited"],
  ["429 for an hour", { status: 429, retryAfterS: 3600, text: "never" }, "model_rate_limited"],
  ["500 for ever", { status: 500, text: "never" }, "model_error"],
  ["a wrong key", { status: 401, text: "never" }, "model_error"],
  ["a hang for ever", { hang: "start", text: "never" }, "model_error"],
  ["a hang in the middle", { hang: "middle", text: "one two three four" }, "model_error"],
  ["a cut answer", { truncate: true, text: "one two three four" }, "model_error"],
  ["garbage for ever", { garbage: true }, "model_error"],
];

test.each(ENDS)("%s from the model", async (_name, step, code) => {
  const sent = await script(step);
  loop = run();
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const failed = ofType(events, "turn.failed")[0]?.data.error.code;
  expect(failed).toBe(code);
  if (code === undefined) expect(ofType(events, "turn.completed")[0]!.data.text).toBe("fine");
});
