import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/event";
import type { CommitOutcome } from "../../../src/protocol/runtime-rpc";
import type { TurnLoop } from "../../../src/server/runner";
import { SandboxError } from "../../../src/server/sandbox";
import { createRedactor } from "../../../src/server/secrets";
import { createSession } from "../../../src/server/turns";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../support/scripted-model/start-scripted-model";
import { manifestWith, type SeededAgent, seedAgent } from "../../support/seed-agent";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import { eventsUntil, loseLease, startLoop, untilWaiting } from "../../support/turn-harness";

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

const manifest = manifestWith({ result: { file: "bot/result.ts" } });

/** An agent whose result.ts does what `commit` says; the texts it saw are answered. */
async function start(commit: (text: string, seen: number) => Promise<CommitOutcome>) {
  agent = await seedAgent(berth, manifest);
  const texts: string[] = [];
  loops.push(
    startLoop({
      ...{ manifest, model, redactor: createRedactor({ KEY: "hunter2hunter2" }) },
      invoke: (call) => {
        if (call.kind !== "commit") throw new Error("unexpected call");
        texts.push(call.text);
        return commit(call.text, texts.length);
      },
    }),
  );
  return texts;
}

const say = (message: string, dryRun = false) =>
  createSession(agent.ctx, { agentId: agent.agentId, message, dryRun });
async function run(message: string, dryRun = false): Promise<SessionEvent[]> {
  const sent = await say(message, dryRun);
  return await untilWaiting(agent.orgId, sent.sessionId);
}
const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
const errorOf = (events: SessionEvent[]) => ofType(events, "turn.failed")[0]?.data.error;

const reject = (message: string): Promise<CommitOutcome> =>
  Promise.resolve({ outcome: "rejected", message });
const accept = (): Promise<CommitOutcome> => Promise.resolve({ outcome: "accepted" });

test("a rejected text goes back to the model, and what it says then is the turn's text", async () => {
  const texts = await start((_text, seen) => (seen === 1 ? reject("too short") : accept()));
  const events = await run("hello");
  expect(texts).toEqual([
    "You said: hello",
    "You said: Your answer was not accepted: too short\nAnswer again, in full.",
  ]);
  const [completed] = ofType(events, "turn.completed");
  expect(completed!.data.text).toBe(texts[1]);
  expect(completed!.data.usage.inputTokens).toBe(20);
  expect(ofType(events, "step.started").map(({ data }) => data.step)).toEqual([0, 1]);
  expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i));
});

test("three revisions are asked for and no fourth", async () => {
  const three = await start((_text, seen) => (seen <= 3 ? reject("no") : accept()));
  expect(ofType(await run("hello"), "turn.completed")).toHaveLength(1);
  expect(three).toHaveLength(4);
  await loops.pop()?.drain(5_000);
  const four = await start(() => reject("never"));
  expect(errorOf(await run("hello"))).toEqual({
    code: "result_rejected",
    message: "The result was not accepted: it was rejected after 3 revisions: never.",
  });
  expect(four).toHaveLength(4);
});

test("a commit that throws or loses its process ends the turn", async () => {
  await start(() => Promise.resolve({ outcome: "threw", message: "no database" }));
  expect(errorOf(await run("hello"))).toEqual({
    code: "result_rejected",
    message: "The result was not accepted: no database.",
  });
  await loops.pop()?.drain(5_000);
  await start(() => Promise.reject(new SandboxError("runtime_lost", "it died", { sent: true })));
  expect(errorOf(await run("hello"))).toMatchObject({ code: "result_rejected" });
});

test("what a lost process said last is kept without secrets", async () => {
  const said = "it died of hunter2hunter2";
  await start(() => Promise.reject(new SandboxError("runtime_lost", said, { sent: true })));
  const { sessionId } = await say("hello");
  const events = await untilWaiting(agent.orgId, sessionId);
  expect(errorOf(events)?.message).toContain("it died of [secret:KEY]");
  expect(
    await berth.sql("SELECT message FROM result_commit WHERE session_id = $1", [sessionId]),
  ).toEqual([{ message: "it died of [secret:KEY]" }]);
});

test("a turn without text has nothing to commit, and a dry run commits nothing", async () => {
  const texts = await start(accept);
  const [dry] = ofType(await run("hello", true), "turn.completed");
  expect(dry!.data.text).toBe("You said: hello");
  const silent = await run('{"script":[{"reasoning":"hm","text":""}]}');
  expect(errorOf(silent)?.code).toBe("no_text");
  expect(texts).toEqual([]);
});

/** As if the worker had died between the accepted commit and the end of its turn. */
async function undoEnd({ sessionId, turnId }: { sessionId: string; turnId: string }) {
  await berth.sql("DELETE FROM event WHERE session_id = $1 AND type IN ($2, $3)", [
    sessionId,
    "turn.completed",
    "session.waiting",
  ]);
  await berth.sql(
    `UPDATE turn SET status = 'running', ended_at = NULL, lease_until = now() - interval '1 second'
     WHERE id = $1`,
    [turnId],
  );
  await berth.sql(
    `UPDATE session SET status = 'running',
       next_index = (SELECT count(*) FROM event WHERE session_id = $1) WHERE id = $1`,
    [sessionId],
  );
}

test("a commit that was accepted is not run again by the attempt that takes over", async () => {
  const texts = await start(accept);
  const sent = await say("hello");
  const { orgId } = agent;
  await untilWaiting(orgId, sent.sessionId);
  await undoEnd(sent);
  const events = await eventsUntil(orgId, sent.sessionId, ({ type }) => type === "turn.completed");
  expect(ofType(events, "turn.started").map(({ data }) => data.attempt)).toEqual([1, 2]);
  expect(ofType(events, "turn.completed")[0]?.data.text).toBe("You said: hello");
  expect(texts).toEqual(["You said: hello"]);
});

test("a commit that was interrupted is reported and not run again", async () => {
  let stuck: () => void = () => undefined;
  const texts = await start(
    () =>
      new Promise((resolve) => {
        stuck = () => resolve({ outcome: "accepted" });
      }),
  );
  const sent = await say("hello");
  const { orgId } = agent;
  await eventsUntil(orgId, sent.sessionId, ({ type }) => type === "message.completed");
  await expect.poll(() => texts.length).toBe(1);
  await loseLease(berth, sent.turnId);
  const events = await untilWaiting(orgId, sent.sessionId);
  stuck();
  expect(errorOf(events)).toEqual({
    code: "result_rejected",
    message:
      "The result was not accepted: its commit was interrupted; it may or may not have happened.",
  });
  expect(texts).toHaveLength(1);
});
