import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentFile, type Farm, startFarm, until } from "../support/faults/farm";
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

  test("of approve and deny at once one counts, and what happens follows from it", async () => {
    for (let round = 0; round < rounds(3, 20); round++) {
      const sessionId = await gated();
      const callId = await pendingCall(sessionId);
      const answers = await Promise.all(
        ["approve", "deny"].map((decision, i) => decide(sessionId, callId, decision, farm.urls[i])),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const approved = answers[0]?.status === 200;
      const events = await follow(farm, sessionId);
      expect(events.find(({ type }) => type === "action.approval_resolved")).toMatchObject({
        data: { callId, decision: approved ? "approve" : "deny" },
      });
      expect(farm.effects.counts.get(callId) ?? 0).toBe(approved ? 1 : 0);
    }
    await expectInvariants(farm);
  });

  test("one that nobody decides expires, and comes too late afterwards", async () => {
    const settings = 'approvals: { self: true, expiresIn: "1s" }';
    await farm.deploy({ "bot/agent.ts": agentFile(farm.effects.host, settings) });
    const sessionId = await gated();
    const events = await follow(farm, sessionId);
    const resolved = events.find((event) => event.type === "action.approval_resolved");
    expect(resolved).toMatchObject({ data: { decision: "deny", by: "system" } });
    const callId = resolved?.type === "action.approval_resolved" ? resolved.data.callId : "";
    expect((await decide(sessionId, callId, "approve")).status).toBe(409);
    expect(farm.effects.counts.get(callId)).toBeUndefined();
    expect(events.at(-1)?.type).toBe("turn.completed");
    await farm.deploy();
    await expectInvariants(farm);
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

/** The versions that a session's turns ran on, the first turn first. */
const versionsOf = async (sessionId: string): Promise<number[]> => {
  const rows = await farm.sql<{ version: number }>(
    "SELECT version FROM turn WHERE session_id = $1 ORDER BY id",
    [sessionId],
  );
  return rows.map(({ version }) => version);
};

test("a turn keeps its version through a rollback, and the next one takes the old", async () => {
  const version = await farm.deploy({ "bot/instructions.md": `Answer again ${random()}.\n` });
  const sessionId = await begin(farm, scriptText({ text: "a b c d e f", delayMs: 300 }));
  let rolledBack = false;
  const events = await follow(farm, sessionId, async ({ type }) => {
    if (type !== "message.appended" || rolledBack) return;
    rolledBack = true;
    const deployments = `${farm.url}/api/v1/orgs/${farm.org}/agents/${farm.agent}/deployments`;
    const answer = await fetch(`${deployments}/${version - 1}/activate`, {
      method: "POST",
      headers: { authorization: `Bearer ${farm.apiKey}` },
    });
    expect(answer.status).toBe(200);
  });
  expect(events.at(-1)?.type).toBe("turn.completed");
  await farm.client.agent(farm.org, farm.agent).sendMessage(sessionId, { message: "next" });
  await until(
    () => "the next turn on the version before",
    async () => (await versionsOf(sessionId))[1] != null,
  );
  expect(await versionsOf(sessionId)).toEqual([version, version - 1]);
  await expectInvariants(farm);
});

/** Follows a session to some event of its turn and deletes it then. */
async function deleteMidway(sessionId: string): Promise<void> {
  const agent = farm.client.agent(farm.org, farm.agent);
  const at = Math.floor(random() * 8);
  for await (const { index, type } of agent.events(sessionId)) {
    if (index >= at || type === "action.approval_requested") break;
  }
  await agent.deleteSession(sessionId);
}

test("a session that is deleted in a turn is gone, and its worker goes on", async () => {
  const deleted = () =>
    begin(
      farm,
      scriptText(
        { text: "a b c", delayMs: 200, calls: [{ name: "write_effect", input: {} }] },
        { text: "d e f g", delayMs: 200 },
      ),
    );
  const ids = await Promise.all([
    ...Array.from({ length: rounds(4, 20) }, deleted),
    begin(farm, scriptText({ calls: [{ name: "gated_effect", input: {} }] }, { text: "done" })),
  ]);
  await Promise.all(ids.map(deleteMidway));
  for (const table of ["session", "turn", "event", "message", "step", "tool_call", "approval"]) {
    const column = table === "session" ? "id" : "session_id";
    await until(
      () => `${table} to be erased`,
      async () =>
        (await farm.sql(`SELECT 1 FROM ${table} WHERE ${column} = ANY($1)`, [ids])).length === 0,
    );
  }
  expect((await follow(farm, await begin(farm, "hello"))).at(-1)?.type).toBe("turn.completed");
  await expectInvariants(farm);
});
