import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { TurnLoop } from "../../../src/server/runner";
import { claimTurns, createSession, sendMessage } from "../../../src/server/turns";
import { scriptText } from "../../support/scripted-model/script";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { complete, logProblems, ofType } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, startLoop, untilWaiting } from "../../support/turn-harness";

const manifest = manifestWith();
/** Longer than any grace of these tests. */
const SLOW = scriptText({ text: "word ".repeat(15), delayMs: 100 });

let berth: TestPlatform;
let model: ScriptedModel;
let agent: SeededAgent;
let loops: TurnLoop[] = [];

beforeAll(async () => {
  berth = await startTestPlatform();
  model = await startScriptedModel();
});
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.drain(5_000)));
  loops = [];
});
afterAll(async () => {
  await model.stop();
  await berth.stop();
});

function start(): TurnLoop {
  const loop = startLoop({ manifest, model });
  loops.push(loop);
  return loop;
}

const open = (message: string) => createSession(agent.ctx, { agentId: agent.agentId, message });
const untilSaid = (sessionId: string) =>
  eventsUntil(agent.orgId, sessionId, (event) => event.type === "message.appended");

test("a worker that drains hands over what takes longer than its grace", async () => {
  agent = await seedAgent(berth);
  const { sessionId } = await open(SLOW);
  const first = start();
  await untilSaid(sessionId);
  const began = performance.now();
  await first.drain(50);
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(first.busy).toBe(0);
  start();
  const events = await untilWaiting(agent.orgId, sessionId);
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(ofType(events, "turn.completed")[0]!.data.text).toBe("word ".repeat(15));
  expect(await logProblems(berth, sessionId)).toEqual([]);
});

test("a worker that drains ends what fits its grace and begins nothing more", async () => {
  agent = await seedAgent(berth);
  const { sessionId } = await open(SLOW);
  const first = start();
  await untilSaid(sessionId);
  const drained = first.drain(10_000);
  const waits = await open("later");
  await drained;
  const events = await untilWaiting(agent.orgId, sessionId);
  expect(ofType(events, "turn.started")).toHaveLength(1);
  expect(await claimTurns("w2", 100)).toMatchObject([{ turnId: waits.turnId, attempt: 1 }]);
});

test("handing over does not count as losing a worker", async () => {
  agent = await seedAgent(berth);
  const { sessionId, turnId } = await open("hi");
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [claim] = await claimTurns("w", 100);
    expect(claim).toMatchObject({ turnId, attempt, announced: false });
    await berth.sql("SELECT berth_release_turn($1, $2, $3, $4)", [
      ...[claim!.orgId, claim!.sessionId, claim!.turnId, claim!.epoch],
    ]);
  }
  const [last] = await claimTurns("w", 100);
  expect(await complete(last!)).toBe(true);
  expect(await logProblems(berth, sessionId)).toEqual([]);
});

test("a deploy and a rollback while a turn runs leave it its version", async () => {
  agent = await seedAgent(berth);
  const { sessionId, turnId } = await open("hi");
  const activate = (version: number) =>
    berth.sql("UPDATE agent SET active_version = $2 WHERE id = $1", [agent.agentId, version]);
  await berth.sql(
    `INSERT INTO deployment (org_id, agent_id, version, id, status, source_sha, manifest, created_by)
     SELECT org_id, agent_id, 2, id || '2', status, source_sha, manifest, created_by
     FROM deployment WHERE agent_id = $1`,
    [agent.agentId],
  );
  const [first] = await claimTurns("w", 100);
  expect(first).toMatchObject({ turnId, version: 1 });
  await activate(2);
  await berth.sql("SELECT berth_release_turn($1, $2, $3, $4)", [
    ...[first!.orgId, first!.sessionId, first!.turnId, first!.epoch],
  ]);
  const [again] = await claimTurns("w", 100);
  expect(again).toMatchObject({ turnId, version: 1, attempt: 2 });
  await complete(again!);
  const to = { agentId: agent.agentId, sessionId, message: "more" };
  await sendMessage(agent.ctx, to);
  const [next] = await claimTurns("w", 100);
  expect(next!.version).toBe(2);
  await activate(1);
  await complete(next!);
  await sendMessage(agent.ctx, to);
  expect((await claimTurns("w", 100))[0]!.version).toBe(1);
});
