import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { SessionEvent } from "../../../src/protocol/event";
import type { ToolManifest } from "../../../src/protocol/manifest";
import type { RuntimeCall } from "../../../src/protocol/runtime-rpc";
import type { HostCaller } from "../../../src/runtime/host-calls";
import { runTool } from "../../../src/runtime/run-tool";
import type { ToolContext } from "../../../src/runtime/tool-context";
import { listArtifacts } from "../../../src/server/artifacts";
import { answerHostCall, type TurnLoop } from "../../../src/server/runner";
import { createSession } from "../../../src/server/turns";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { startLoop, untilWaiting } from "../../support/turn-harness";

let state: string;
let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loop: TurnLoop | undefined;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "berth-artifact-turns-"));
  berth = await startTestPlatform({ BERTH_STATE_DIR: state });
  model = await startScriptedModel();
});
afterEach(async () => {
  await loop?.drain(5_000);
  loop = undefined;
});
afterAll(async () => {
  await model.stop();
  await berth.stop();
  await rm(state, { recursive: true, force: true });
});

const kinds = { report: { schema: z.object({ rows: z.number() }) } };
const report = {
  execute: (_: unknown, ctx: ToolContext) =>
    ctx.artifacts.tag({ kind: "report", key: "by code", data: { rows: 1 }, contents: "code" }),
};
const bundle = {
  definitions: {
    artifacts: () => Promise.resolve({ default: { kinds, agentTool: true } }),
    tools: { report: () => Promise.resolve({ default: report }) },
  },
  files: {},
};

/** Runs a call as the agent's process does, with the worker's own answers to its host calls. */
function invoke(call: RuntimeCall) {
  if (call.kind !== "tool") throw new Error(`not a call of a tool: ${call.kind}`);
  const ref = { orgId: agent.orgId, agentId: agent.agentId, version: 1 };
  const host = ((method: string, params: unknown) =>
    answerHostCall({ method, params, ref, during: call })) as HostCaller;
  return runTool(call, {
    bundle,
    host,
    folders: { workspaceRoot: "/workspace", stateRoot: "/state" },
    signal: new AbortController().signal,
    onThrown: () => undefined,
  });
}

const authored: ToolManifest = {
  name: "report",
  file: "bot/tools/report.ts",
  description: "Reports.",
  execution: "server",
  effect: "write",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
};

const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

async function run(agentTool: boolean, ...calls: { name: string; input: unknown }[]) {
  const artifacts = { file: "bot/artifacts.ts", kinds: ["report"], agentTool };
  const manifest = manifestWith({ artifacts, tools: [authored] });
  agent = await seedAgent(berth, manifest);
  loop = startLoop({ manifest, model, invoke });
  const sent = await createSession(agent.ctx, {
    agentId: agent.agentId,
    message: scriptText({ calls }, { text: "Done." }),
  });
  return { ...sent, events: await untilWaiting(agent.orgId, sent.sessionId) };
}

test("host code and tag_artifact tag artifacts of the session, each an artifact.tagged of the turn", async () => {
  const input = { kind: "report", key: "by model", title: "M", data: { rows: 2 }, contents: "m" };
  const { events, sessionId, turnId } = await run(
    true,
    { name: "report", input: {} },
    { name: "tag_artifact", input },
  );
  const results = ofType(events, "action.result").map(({ data }) => [data.toolName, data.isError]);
  expect(results.sort()).toEqual([
    ["report", false],
    ["tag_artifact", false],
  ]);
  const tagged = ofType(events, "artifact.tagged");
  expect(tagged.map((event) => [event.data.key, event.turnId]).sort()).toEqual([
    ["by code", turnId],
    ["by model", turnId],
  ]);
  const { artifacts } = await listArtifacts(agent.ctx, { agentId: agent.agentId });
  expect(artifacts.map(({ sessionId: of, turnId: turn }) => [of, turn])).toEqual([
    [sessionId, turnId],
    [sessionId, turnId],
  ]);
  expect(tagged.map(({ data }) => data.artifactId).sort()).toEqual(
    artifacts.map(({ id }) => id).sort(),
  );
});

test("what a kind's schema refuses is an error that the model reads", async () => {
  const input = { kind: "report", key: "k", data: { rows: "many" } };
  const { events } = await run(true, { name: "tag_artifact", input });
  const [result] = ofType(events, "action.result");
  expect(result?.data).toMatchObject({ isError: true });
  expect(result?.data.result).toContain("rows: ");
  expect(ofType(events, "artifact.tagged")).toEqual([]);
});

test("without agentTool there is no tag_artifact", async () => {
  const { events } = await run(false, {
    name: "tag_artifact",
    input: { kind: "report", key: "k" },
  });
  expect(ofType(events, "action.result")[0]?.data).toMatchObject({ isError: true });
  expect(ofType(events, "artifact.tagged")).toEqual([]);
});
