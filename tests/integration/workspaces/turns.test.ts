import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ToolManifest } from "../../../src/protocol/manifest";
import { type RunnerPorts, runTurn, type TurnLoop } from "../../../src/server/runner";
import { claimTurns, createSession, sweepTurns } from "../../../src/server/turns";
import { openWorkspace } from "../../../src/server/workspaces";
import { type ScriptedStep, scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import {
  eventsUntil,
  type Invoke,
  portsOf,
  startLoop,
  untilWaiting,
} from "../../support/turn-harness";
import { type TestWorker, WorkspaceWorld } from "../../support/workspace-world";

const PUT: ToolManifest = {
  name: "put",
  file: "bot/tools/put.ts",
  description: "Writes a file.",
  execution: "server",
  effect: "write",
  needsApproval: "never",
  timeArgs: [],
  timeoutMs: 60_000,
};

let world: WorkspaceWorld;
let model: ScriptedModel;
let loop: TurnLoop | undefined;
const workers: TestWorker[] = [];

beforeAll(async () => {
  world = await WorkspaceWorld.start({ tools: [PUT] });
  model = await startScriptedModel();
});
afterEach(async () => {
  await loop?.drain(5_000);
  loop = undefined;
});
afterAll(async () => {
  await model.stop();
  for (const { sandboxes } of workers) await sandboxes.close();
  await world.stop();
});

function newWorker(name: string): TestWorker {
  const worker = world.worker(name);
  workers.push(worker);
  return worker;
}

const workspaceOn =
  ({ sandboxes }: TestWorker): RunnerPorts["workspace"] =>
  (ref, { sessionId, dryRun }, manifest) =>
    openWorkspace({ ref, sessionId, manifest, dryRun }, sandboxes);

/** What the tool does on a worker: writes its file, and `then` says when it answers. */
const writing =
  (
    worker: TestWorker,
    then: (path: string) => Promise<unknown> = () => Promise.resolve(),
  ): Invoke =>
  async (call) => {
    if (call.kind !== "tool") throw new Error(`no ${call.kind} here`);
    const { path, text } = call.input as { path: string; text: string };
    await worker.inFolder(call.scope.workspace, (folder) => writeFile(join(folder, path), text));
    await then(path);
    return { outcome: "returned", result: `wrote ${path}`, isError: false, effect: "write" };
  };

const put = (path: string, text = path) => ({ name: "put", input: { path, text } });

async function start(...script: ScriptedStep[]) {
  const { agentId, ctx } = world.agent;
  return await createSession(ctx, { agentId, message: scriptText(...script) });
}

const run = (worker: TestWorker) => {
  const { manifest } = world;
  const ports = { manifest, model, invoke: writing(worker), workspace: workspaceOn(worker) };
  loop = startLoop(ports);
};

/** Runs a turn on a worker until it has written this file, and then loses the worker and its disk. */
async function loseWorkerAfter(worker: TestWorker, turnId: string, last: string): Promise<void> {
  const [claim] = (await claimTurns("lost", 100)).filter((turn) => turn.turnId === turnId);
  const written = new Promise<void>((resolve) => {
    const never = new Promise(() => undefined);
    const invoke = writing(worker, (path) => {
      if (path !== last) return Promise.resolve();
      resolve();
      return never;
    });
    const ports = portsOf({
      manifest: world.manifest,
      model,
      invoke,
      workspace: workspaceOn(worker),
    });
    void runTurn(claim!, ports, new AbortController().signal);
  });
  await written;
  const { orgId } = world.agent;
  const others = (count: number) =>
    eventsUntil(orgId, claim!.sessionId, (event, all) => {
      const kept = all.filter(({ type }) => type === "action.result").length;
      return kept >= count || event.type === "session.waiting";
    });
  await others(1);
  await worker.lose();
  await world.platform.sql(
    "UPDATE turn SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1",
    [turnId],
  );
  await sweepTurns();
}

test("a worker lost between two writes of one batch, with its disk: both files are there", async () => {
  const { sessionId, turnId } = await start(
    { calls: [put("one"), put("two")] },
    { calls: [put("two", "again")] },
    { text: "done" },
  );
  await loseWorkerAfter(newWorker("batch-1"), turnId, "two");
  const second = newWorker("batch-2");
  run(second);
  await untilWaiting(world.agent.orgId, sessionId);
  const there = { one: "one", two: "again" };
  expect(await second.list(sessionId)).toEqual(there);
  expect(await world.rows(sessionId)).toEqual(["one", "two"]);
});

test("a worker lost between two batches, with its disk: both files are there", async () => {
  const { sessionId, turnId } = await start(
    { calls: [put("one")] },
    { calls: [put("two")] },
    { calls: [put("three")] },
    { text: "done" },
  );
  await loseWorkerAfter(newWorker("batches-1"), turnId, "two");
  const second = newWorker("batches-2");
  run(second);
  await untilWaiting(world.agent.orgId, sessionId);
  expect(Object.keys(await second.list(sessionId))).toEqual(["one", "three"]);
  const interrupted = model.requests.at(-1);
  expect(JSON.stringify(interrupted)).toContain("It may or may not have happened");
});

test("the next turn of a session finds its files on any worker", async () => {
  const first = newWorker("next-1");
  run(first);
  const { sessionId } = await start({ calls: [put("kept")] }, { text: "done" });
  await untilWaiting(world.agent.orgId, sessionId);
  await loop?.drain(5_000);
  const workspace = await world.open(newWorker("next-2"), sessionId);
  expect(await workers.at(-1)?.list(sessionId)).toEqual({ kept: "kept" });
  await workspace.close();
});
