import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import { decideApproval, expireApprovals } from "../../../src/server/approvals";
import { newUuid } from "../../../src/server/platform/id";
import { runTurn, TurnLoop } from "../../../src/server/runner";
import { SandboxError } from "../../../src/server/sandbox";
import { getSession } from "../../../src/server/sessions";
import { claimTurns, createSession, sweepTurns } from "../../../src/server/turns";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, type Invoke, portsOf, untilWaiting } from "../../support/turn-harness";

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
  effect: "write",
  needsApproval: "always",
  timeArgs: [],
  timeoutMs: 60_000,
  ...change,
});

const TOOLS = [
  tool("promote"),
  tool("restart"),
  tool("look", { effect: "read", needsApproval: "never" }),
  tool("maybe", { needsApproval: "function" }),
];

interface Setup {
  limits?: { steps: number; wallMs: number };
  maxRunningTurns?: number;
  subagents?: { name: string; file: string; description: string }[];
  approvals?: { channel: boolean; self: boolean; expiresInMs: number };
}

const manifestOf = (setup: Setup) => manifestWith({ tools: TOOLS, ...setup });

/** Calls of tools that ran, in order. */
let ran: Extract<RuntimeCall, { kind: "tool" }>[];
/** Answers as the agent's process does: `maybe` is gated for production, and wants a text. */
const answer: Invoke = (call) => {
  if (call.kind === "gate") {
    const { to } = call.input as { to?: unknown };
    if (call.name === "maybe" && typeof to !== "string") {
      const issues = [{ path: "to", message: "wants a text" }];
      return Promise.resolve({ outcome: "invalid_input", message: "No match.", issues });
    }
    const needsApproval = call.name !== "maybe" || to === "production";
    return Promise.resolve({ outcome: "open", effect: "write", needsApproval, input: call.input });
  }
  if (call.kind !== "tool") throw new Error("unexpected call");
  ran.push(call);
  return Promise.resolve({ outcome: "returned", result: `${call.name} ran`, isError: false });
};

/** A worker of its own; `invoke` sees which version it is asked for. */
function startWorker(setup: Setup = {}, invoke: Invoke = answer, slots = 200): TurnLoop {
  const manifest = manifestOf(setup);
  loop = new TurnLoop(newUuid(), slots, portsOf({ manifest, model, invoke }));
  loop.start();
  return loop;
}

async function seed(setup: Setup = {}): Promise<void> {
  ran = [];
  agent = await seedAgent(berth, manifestOf(setup));
}

const say = (...steps: ScriptedStep[]) =>
  createSession(agent.ctx, { agentId: agent.agentId, message: scriptText(...steps) });

const calls = (...names: string[]): ScriptedStep => ({
  calls: names.map((name) => ({ name, input: { to: "production" } })),
});

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

/** Follows a session until so many approvals were requested; their events. */
async function untilAsked(sessionId: string, count = 1) {
  const events = await eventsUntil(
    agent.orgId,
    sessionId,
    (_event, all) => ofType(all, "action.approval_requested").length === count,
  );
  return ofType(events, "action.approval_requested").map(({ data }) => data);
}

/** Waits for a change of the turn's row that no event tells. */
async function untilTurn(turnId: string, status: string): Promise<Record<string, unknown>> {
  return await expect
    .poll(async () => (await turnRow(turnId)).status, { timeout: 10_000, interval: 20 })
    .toBe(status)
    .then(() => turnRow(turnId));
}

async function turnRow(turnId: string): Promise<Record<string, unknown>> {
  const [row] = await berth.sql<Record<string, unknown>>(
    `SELECT t.*, s.status AS session_status FROM turn t
     JOIN session s ON s.org_id = t.org_id AND s.id = t.session_id WHERE t.id = $1`,
    [turnId],
  );
  return row!;
}

const decide = (callId: string, decision: "approve" | "deny", reason?: string) =>
  decideApproval(agent.otherCtx, {
    agentId: agent.agentId,
    callId,
    decision,
    ...(reason === undefined ? {} : { reason }),
  });

const toolMessages = () =>
  model.requests
    .at(-1)!
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content);

test("a gated call waits without a worker, and runs once when a person approves", async () => {
  await seed();
  startWorker();
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  expect(asked).toMatchObject({ toolName: "promote", input: { to: "production" } });
  const row = await untilTurn(sent.turnId, "parked");
  expect(row).toMatchObject({ worker_id: null, lease_until: null, session_status: "parked" });
  await expect.poll(() => loop!.busy).toBe(0);
  const session = { agentId: agent.agentId, sessionId: sent.sessionId };
  expect((await getSession(agent.ctx, session)).pendingApprovals).toEqual([asked!.callId]);
  expect(ran).toEqual([]);

  await decide(asked!.callId, "approve", "looks right");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i));
  expect(ran.map(({ name, approved }) => [name, approved])).toEqual([["promote", true]]);
  expect(
    ofType(events, "action.approval_resolved").map(({ turnId, data }) => [turnId, data]),
  ).toEqual([
    [
      sent.turnId,
      {
        callId: asked!.callId,
        decision: "approve",
        by: `service:${agent.otherCtx.actor.id}`,
        reason: "looks right",
      },
    ],
  ]);
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1]);
  expect(ofType(events, "actions.requested")).toHaveLength(1);
  expect(ofType(events, "action.result").map(({ data }) => data.result)).toEqual(["promote ran"]);
  expect((await getSession(agent.ctx, session)).pendingApprovals).toEqual([]);
});

test("ungated calls of the batch run at once, and each gated one when it is decided", async () => {
  await seed();
  startWorker();
  const sent = await say(calls("promote", "look", "restart"), { text: "done" });
  const asked = await untilAsked(sent.sessionId, 2);
  await untilTurn(sent.turnId, "parked");
  expect(ran.map(({ name }) => name)).toEqual(["look"]);
  const idOf = (name: string) => asked.find(({ toolName }) => toolName === name)!.callId;

  await decide(idOf("restart"), "approve");
  const until = await eventsUntil(
    agent.orgId,
    sent.sessionId,
    ({ type, data }) => type === "action.result" && data.toolName === "restart",
  );
  expect(ofType(until, "actions.completed")).toEqual([]);
  await untilTurn(sent.turnId, "parked");
  expect(ran.map(({ name }) => name)).toEqual(["look", "restart"]);

  await decide(idOf("promote"), "deny", "not on a Friday");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran.map(({ name }) => name)).toEqual(["look", "restart"]);
  expect(ofType(events, "actions.completed")).toHaveLength(1);
  expect(ofType(events, "step.completed")).toHaveLength(2);
  const told = toolMessages();
  expect(told).toHaveLength(3);
  expect(told[0]).toContain("not on a Friday");
  expect(told[0]).toContain(`service:${agent.otherCtx.actor.id}`);
  expect(told.slice(1)).toEqual(["look ran", "restart ran"]);
});

test("a call that is approved while others of its batch run does not wait for them", async () => {
  await seed();
  let release: (value: unknown) => void = () => undefined;
  const slow = new Promise((resolve) => {
    release = resolve;
  });
  startWorker({}, async (call, signal) => {
    if (call.kind === "tool" && call.name === "look") await slow;
    return await answer(call, signal);
  });
  const sent = await say(calls("promote", "look"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await decide(asked!.callId, "approve");
  await eventsUntil(agent.orgId, sent.sessionId, ({ type }) => type === "action.result");
  expect(ran.map(({ name }) => name)).toEqual(["promote"]);
  release(undefined);
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "action.result").map(({ data }) => data.toolName)).toEqual([
    "promote",
    "look",
  ]);
});

test("a predicate decides about each input, and an invalid input needs no approval", async () => {
  await seed();
  startWorker();
  const inputs = [{ to: "staging" }, { to: 7 }, { to: "production" }];
  const sent = await say(
    { calls: inputs.map((input) => ({ name: "maybe", input })) },
    { text: "done" },
  );
  const asked = await untilAsked(sent.sessionId);
  expect(asked.map(({ input }) => input)).toEqual([{ to: "production" }]);
  await untilTurn(sent.turnId, "parked");
  expect(ran.map(({ input }) => input)).toEqual([{ to: "staging" }]);
  await decide(asked[0]!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  const results = ofType(events, "action.result").map(({ data }) => data);
  expect(results.filter(({ isError }) => isError).map(({ result }) => result)).toEqual([
    "No match.\nto: wants a text",
  ]);
  expect(ran.map(({ input, approved }) => [input, approved])).toEqual([
    [{ to: "staging" }, false],
    [{ to: "production" }, true],
  ]);
});

test("a predicate that changes its mind when the call runs still stops it", async () => {
  await seed();
  startWorker({}, (call, signal) => {
    if (call.kind === "tool" && !call.approved) {
      return Promise.resolve({ outcome: "approval_required" });
    }
    return answer(call, signal);
  });
  const sent = await say(
    { calls: [{ name: "maybe", input: { to: "staging" } }] },
    { text: "done" },
  );
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran).toHaveLength(1);
  expect(ofType(events, "action.result")[0]!.data).toMatchObject({ isError: false });
});

test("a gate whose process is lost is asked again, and a broken one lets nothing through", async () => {
  await seed();
  let lost = 0;
  startWorker({}, (call, signal) => {
    if (call.kind === "gate" && lost++ < 2) {
      return Promise.reject(new SandboxError("runtime_lost", "it died", { sent: true }));
    }
    return answer(call, signal);
  });
  const sent = await say(calls("maybe"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  expect(lost).toBe(3);
  await decide(asked!.callId, "deny");
  await untilWaiting(agent.orgId, sent.sessionId);
  await loop!.drain(5_000);

  startWorker({}, () =>
    Promise.reject(new SandboxError("tool_timeout", "too slow", { sent: true })),
  );
  const other = await say(calls("promote"), { text: "done" });
  const events = await untilWaiting(agent.orgId, other.sessionId);
  expect(ofType(events, "action.approval_requested")).toEqual([]);
  expect(ofType(events, "action.result")[0]!.data).toMatchObject({
    isError: true,
    result: "promote could not be checked: too slow",
  });
  expect(ran).toEqual([]);
});

test("nobody decides in time: the call is denied by the system and the model is told", async () => {
  await seed({ approvals: { channel: false, self: false, expiresInMs: 3_600_000 } });
  startWorker({ approvals: { channel: false, self: false, expiresInMs: 3_600_000 } });
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  const inMs = Date.parse(asked!.expiresAt) - Date.now();
  expect(inMs).toBeGreaterThan(3_500_000);
  expect(inMs).toBeLessThanOrEqual(3_600_000);
  await untilTurn(sent.turnId, "parked");
  expect(await expireApprovals()).toBe(0);
  await berth.sql("UPDATE approval SET expires_at = now() WHERE call_id = $1", [asked!.callId]);
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "action.approval_resolved")[0]!.data).toEqual({
    callId: asked!.callId,
    decision: "deny",
    by: "system",
    reason: "Nobody decided in time.",
  });
  expect(toolMessages()[0]).toContain("Denied by system: Nobody decided in time.");
  expect(ran).toEqual([]);
  await expect(decide(asked!.callId, "approve")).rejects.toMatchObject({
    code: "approval_already_resolved",
  });
});

test.each([
  ["arguments", 'UPDATE tool_call SET input = \'{"to":"everywhere"}\' WHERE call_id = $1'],
  ["tool", "UPDATE tool_call SET tool_name = 'restart' WHERE call_id = $1"],
  [
    "version",
    "UPDATE turn SET version = 2 WHERE id = (SELECT turn_id FROM approval WHERE call_id = $1)",
  ],
])("an approval is for its own %s only", async (_name, change) => {
  await seed();
  startWorker();
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  await berth.sql(change, [asked!.callId]);
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran).toEqual([]);
  expect(ofType(events, "action.result")[0]!.data).toMatchObject({
    isError: true,
    result: "What was approved is not this call, so it was not run.",
  });
});

/** Runs a turn's attempt on a worker that dies in the call that `invoke` never answers. */
async function loseWorker(turnId: string, until: (call: RuntimeCall) => boolean): Promise<void> {
  const [claim] = (await claimTurns("lost", 100)).filter((turn) => turn.turnId === turnId);
  await new Promise<void>((reached) => {
    const invoke: Invoke = (call, signal) => {
      if (!until(call)) return answer(call, signal);
      reached();
      return new Promise(() => undefined);
    };
    const ports = portsOf({ manifest: manifestOf({}), model, invoke });
    void runTurn(claim!, ports, new AbortController().signal);
  });
}

async function expireLease(turnId: string): Promise<void> {
  await berth.sql("UPDATE turn SET lease_until = now() - interval '1 s' WHERE id = $1", [turnId]);
  expect(await sweepTurns()).toBe(1);
}

test("an approved call whose worker was lost while it ran is never run twice", async () => {
  await seed();
  startWorker();
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  await loop!.drain(5_000);
  await decide(asked!.callId, "approve");
  await loseWorker(sent.turnId, ({ kind }) => kind === "tool");
  await expireLease(sent.turnId);
  startWorker();
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran).toEqual([]);
  const result = ofType(events, "action.result")[0]!.data;
  expect(result.isError).toBe(true);
  expect(String(result.result)).toContain("may or may not");
  expect(ofType(events, "action.approval_requested")).toHaveLength(1);
});

test("a worker that is lost while people are asked asks nobody twice", async () => {
  await seed();
  const sent = await say(calls("promote", "look"), { text: "done" });
  await loseWorker(sent.turnId, (call) => call.kind === "tool" && call.name === "look");
  const [asked] = await untilAsked(sent.sessionId);
  await expireLease(sent.turnId);
  startWorker();
  await untilTurn(sent.turnId, "parked");
  expect(ran.map(({ name }) => name)).toEqual(["look"]);
  await loop!.drain(5_000);
  startWorker();
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "action.approval_requested")).toHaveLength(1);
  expect(ran.map(({ name }) => name)).toEqual(["look", "promote"]);
});

test("what waits for people takes no slot, no place of the agent and no wall time", async () => {
  const setup = { limits: { steps: 100, wallMs: 60_000 }, maxRunningTurns: 1 };
  await seed(setup);
  startWorker(setup, answer, 1);
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  const { wall_ms: before } = await untilTurn(sent.turnId, "parked");
  const other = await say({ text: "meanwhile" });
  await untilWaiting(agent.orgId, other.sessionId);
  // An hour later, by every clock of the turn's row.
  await berth.sql(
    `UPDATE turn SET queued_at = queued_at - interval '1 hour',
       started_at = started_at - interval '1 hour' WHERE id = $1`,
    [sent.turnId],
  );
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "turn.completed")).toHaveLength(1);
  const { wall_ms: after } = await turnRow(sent.turnId);
  expect(Number(before)).toBeLessThan(60_000);
  expect(Number(after)).toBe(Number(before));
});

test("a decided turn that finds no place waits in line, and the log says behind how many", async () => {
  const setup = { maxRunningTurns: 1 };
  await seed(setup);
  let release: (value: unknown) => void = () => undefined;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  startWorker(setup, async (call, signal) => {
    if (call.kind === "tool" && call.name === "look") await held;
    return await answer(call, signal);
  });
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  const other = await say(calls("look"), { text: "also done" });
  await eventsUntil(agent.orgId, other.sessionId, ({ type }) => type === "actions.requested");
  await decide(asked!.callId, "approve");
  const [queued] = ofType(
    await eventsUntil(agent.orgId, sent.sessionId, ({ type }) => type === "turn.queued"),
    "turn.queued",
  );
  expect(queued).toMatchObject({ turnId: sent.turnId, data: { position: 1 } });
  expect(ran).toEqual([]);
  release(undefined);
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ofType(events, "turn.queued")).toHaveLength(1);
  expect(ran.map(({ name }) => name)).toEqual(["look", "promote"]);
});

const SUBAGENTS = [{ name: "helper", file: "bot/subagents/helper.md", description: "helps" }];

test("a subagent's gated call waits like any other, and its parent goes on after it", async () => {
  const setup = { subagents: SUBAGENTS };
  await seed(setup);
  startWorker(setup);
  const prompt = scriptText(calls("promote"), { text: "promoted it" });
  const task = { name: "task", input: { subagent: "helper", prompt } };
  const sent = await say({ calls: [task, { name: "look", input: {} }] }, { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  expect(ran.map(({ name }) => name)).toEqual(["look"]);
  await loop!.drain(5_000);
  startWorker(setup);
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect(ran.map(({ name }) => name)).toEqual(["look", "promote"]);
  expect(ofType(events, "subagent.called")).toHaveLength(1);
  expect(ofType(events, "subagent.completed").map(({ data }) => data.text)).toEqual([
    "promoted it",
  ]);
  const result = ofType(events, "action.result").find(({ data }) => data.toolName === "promote")!;
  const parent = ofType(events, "subagent.called")[0]!.data.callId;
  expect(result.data.parentCallId).toBe(parent);
  expect(ofType(events, "turn.completed")).toHaveLength(1);
});

test("a deploy changes nothing for a call that waits", async () => {
  await seed();
  startWorker();
  const sent = await say(calls("promote"), { text: "done" });
  const [asked] = await untilAsked(sent.sessionId);
  await untilTurn(sent.turnId, "parked");
  await berth.sql(
    `INSERT INTO deployment (org_id, agent_id, version, id, status, source_sha, bundle_sha, manifest, created_by)
     SELECT org_id, agent_id, 2, id || '2', status, source_sha, bundle_sha, manifest, created_by
     FROM deployment WHERE agent_id = $1`,
    [agent.agentId],
  );
  await berth.sql("UPDATE agent SET active_version = 2 WHERE id = $1", [agent.agentId]);
  await decide(asked!.callId, "approve");
  const events = await untilWaiting(agent.orgId, sent.sessionId);
  expect((await turnRow(sent.turnId)).version).toBe(1);
  expect(ran.map(({ name }) => name)).toEqual(["promote"]);
  expect(ofType(events, "turn.completed")).toHaveLength(1);
});
