import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { ask, begin, follow } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";

let farm: Farm;
const random = seededRandom("changes midway");

beforeAll(async () => {
  farm = await startFarm({ workers: 2, webs: 2 });
});
afterAll(() => farm?.stop());

const post = (path: string, body: unknown, url?: string) =>
  ask(farm, path, { method: "POST", body: JSON.stringify(body) }, url);

test("of fifty follow-ups with one token one is accepted, whichever process they reach", async () => {
  for (let round = 0; round < rounds(2, 20); round++) {
    const sent = await (await post("/session", { message: "first" })).json();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post(
          `/session/${sent.sessionId}`,
          { message: `racer ${i}`, continuationToken: sent.continuationToken },
          farm.urls[i % farm.urls.length],
        ).then(({ status }) => status),
      ),
    );
    expect(answers.filter((status) => status === 202)).toHaveLength(1);
    expect(answers.filter((status) => status === 409)).toHaveLength(49);
  }
  await expectInvariants(farm);
});

test("stop, preempt and coalesce at any moment leave one end each", async () => {
  const sessions = await Promise.all(
    Array.from({ length: 10 }, () => begin(farm, scriptText({ text: "a b c d", delayMs: 3 }))),
  );
  const total = rounds(200, 1_000);
  const act = (i: number) => {
    const path = `/session/${sessions[i % sessions.length]}`;
    const dice = random();
    if (dice < 0.3) return post(`${path}/stop`, { clearQueued: random() < 0.5 });
    const admission = dice < 0.65 ? "preempt" : "coalesce";
    const calls = random() < 0.3 ? [{ name: "write_effect", input: {} }] : undefined;
    const message = scriptText(
      { text: "b c d", delayMs: 2, ...(calls ? { calls } : {}) },
      { text: "end" },
    );
    return post(path, { message, admission }, farm.urls[i % farm.urls.length]);
  };
  for (let i = 0; i < total; i += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => act(i + n)));
    for (const answer of answers) expect(answer.status).toBe(202);
  }
  await until(
    () => "the sessions to come to rest",
    async () => {
      const live = await farm.sql("SELECT id FROM turn WHERE status IN ('queued', 'running')");
      return live.length === 0;
    },
  );
  expect(await startedAfterCancel()).toEqual([]);
  await expectInvariants(farm);
}, 300_000);

/** Calls of a turn that were asked for after the event that ended it. */
const startedAfterCancel = () =>
  farm.sql(`SELECT e.session_id, e.index FROM event e
            JOIN event f ON f.org_id = e.org_id AND f.session_id = e.session_id
              AND f.turn_id = e.turn_id AND f.type = 'turn.failed'
            WHERE e.index > f.index AND e.type <> 'action.approval_resolved'`);

describe("approvals", () => {
  const pendingCall = async (sessionId: string): Promise<string> => {
    const session = () => farm.client.agent(farm.org, farm.agent).getSession(sessionId);
    await until(
      () => "the approval to be asked for",
      async () => (await session()).pendingApprovals.length === 1,
    );
    const [callId] = (await session()).pendingApprovals;
    return String(callId);
  };
  const gated = () =>
    begin(farm, scriptText({ calls: [{ name: "gated_effect", input: {} }] }, { text: "done" }));
  const decide = (sessionId: string, callId: string, decision: string, url?: string) =>
    post(`/session/${sessionId}/approvals/${callId}`, { decision }, url);

  test("of many decisions the first counts, and the effect happens once", async () => {
    const sessionId = await gated();
    const callId = await pendingCall(sessionId);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        decide(sessionId, callId, "approve", farm.urls[i % farm.urls.length]),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    expect((await follow(farm, sessionId)).at(-1)?.type).toBe("turn.completed");
    expect(farm.effects.counts.get(callId)).toBe(1);
  });

  test("one waits through a deploy and the death of every process, and runs its own version", async () => {
    const sessionId = await gated();
    const callId = await pendingCall(sessionId);
    const version = await farm.deploy({ "bot/instructions.md": `Answer anew ${random()}.\n` });
    for (const service of [...farm.workers, ...farm.webs]) {
      await service.end("SIGKILL");
      service.start();
    }
    await farm.ready();
    expect((await decide(sessionId, callId, "approve")).status).toBe(200);
    const events = await follow(farm, sessionId);
    expect(events.at(-1)?.type).toBe("turn.completed");
    expect(farm.effects.counts.get(callId)).toBe(1);
    const started = events.filter(({ type }) => type === "turn.started");
    expect(started).toHaveLength(1);
    expect(started[0]).not.toMatchObject({ data: { version } });
    await expectInvariants(farm);
  });

  test("a denial reaches the model and nothing happens", async () => {
    const sessionId = await gated();
    const callId = await pendingCall(sessionId);
    await decide(sessionId, callId, "deny");
    const events = await follow(farm, sessionId);
    expect(events.find(({ type }) => type === "action.result")).toMatchObject({
      data: { callId, isError: true },
    });
    expect(farm.effects.counts.get(callId)).toBeUndefined();
    await expectInvariants(farm);
  });
});

test("a turn keeps its version through a deploy, and the next one takes the new", async () => {
  const sessionId = await begin(farm, scriptText({ text: "a b c d e f", delayMs: 500 }));
  const running = follow(farm, sessionId);
  const version = await farm.deploy({ "bot/instructions.md": `Answer once more ${random()}.\n` });
  const events = await running;
  expect(events.at(-1)?.type).toBe("turn.completed");
  const versions = events.flatMap((e) => (e.type === "turn.started" ? [e.data.version] : []));
  expect(versions).toEqual([version - 1]);
  await farm.client.agent(farm.org, farm.agent).sendMessage(sessionId, { message: "next" });
  await until(
    () => "the next turn on the new version",
    async () => {
      const rows = await farm.sql("SELECT 1 FROM turn WHERE session_id = $1 AND version = $2", [
        sessionId,
        version,
      ]);
      return rows.length === 1;
    },
  );
  await expectInvariants(farm);
});
