import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Farm, startFarm } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { ask, begin, follow } from "../support/faults/sessions";

let farm: Farm;
const random = seededRandom("killed web");

beforeAll(async () => {
  farm = await startFarm();
});
afterAll(() => farm?.stop());

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
  body: any;
}

async function keyed(path: string, key: string, json: unknown): Promise<Answer | undefined> {
  const init = {
    method: "POST",
    body: JSON.stringify(json),
    headers: { "idempotency-key": key, connection: "close" },
  };
  try {
    const answer = await ask(farm, path, init);
    return { status: answer.status, body: await answer.json() };
  } catch {
    return undefined;
  }
}

/** Asks until something but "still in progress" comes back: a dead process's lease has to end. */
async function askAgain(path: string, key: string, json: unknown): Promise<Answer> {
  for (const deadline = performance.now() + 40_000; performance.now() < deadline; ) {
    const answer = await keyed(path, key, json);
    if (answer && answer.status < 500 && answer.body.error !== "idempotency_in_progress") {
      return answer;
    }
    await sleep(250);
  }
  throw new Error(`${key} was never answered`);
}

async function killWeb(): Promise<void> {
  const [web] = farm.webs;
  await web?.end("SIGKILL");
  web?.start();
  await farm.ready();
}

test("whatever was asked for with a key when the process was killed happened once", async () => {
  let n = 0;
  for (let round = 0; round < rounds(2, 25); round++) {
    const sent = Array.from({ length: 8 }, () => ({
      key: `killed ${++n}`,
      message: `number ${n}`,
    }));
    const first = sent.map(({ key, message }) => keyed("/session", key, { message }));
    await sleep(random() * 60);
    await killWeb();
    const answered = await Promise.all(first);
    const again = await Promise.all(
      sent.map(({ key, message }) => askAgain("/session", key, { message })),
    );
    expect(again.map(({ status }) => status)).toEqual(sent.map(() => 202));
    for (const [i, answer] of answered.entries()) {
      if (answer?.status === 202) expect(again[i]?.body).toEqual(answer.body);
    }
  }
  const made = await farm.sql<{ text: string; n: number }>(
    "SELECT text, count(*)::int AS n FROM message WHERE text LIKE 'number %' GROUP BY text",
  );
  expect(made).toHaveLength(n);
  expect(made.filter((message) => message.n !== 1)).toEqual([]);
  const sessions = await farm.sql<{ id: string }>("SELECT id FROM session");
  await Promise.all(sessions.map(({ id }) => follow(farm, id)));
  await expectInvariants(farm);
}, 600_000);

/** Calls a tool with a key, and kills the web process while the tool has its effect. */
async function interrupt(tool: string, json: object): Promise<{ key: string; callId: string }> {
  const key = `interrupted ${tool} ${random()}`;
  const reached = farm.effects.hold();
  const lost = keyed(`/tools/${tool}`, key, json);
  const { callId, release } = await reached;
  await killWeb();
  release();
  expect(await lost).toBeUndefined();
  return { key, callId };
}

test("a write that was called when the process was killed is not run again under its key", async () => {
  const sessionId = await begin(farm, "hello");
  await follow(farm, sessionId);
  for (const json of [{}, { sessionId }]) {
    const { key, callId } = await interrupt("write_effect", json);
    const before = new Map(farm.effects.counts);
    const again = await askAgain("/tools/write_effect", key, json);
    expect(again).toMatchObject({ status: 409, body: { error: "call_interrupted" } });
    expect(await askAgain("/tools/write_effect", key, json)).toEqual(again);
    expect(new Map(farm.effects.counts)).toEqual(before);
    expect(before.get(callId)).toBe(1);
  }
  // The session that the dead process held is free again.
  const call = { sessionId };
  const next = await askAgain("/tools/write_effect", "after the kill", call);
  expect(next).toMatchObject({ status: 200, body: { isError: false } });
}, 240_000);

test("a read that was called when the process was killed is run again", async () => {
  const { key } = await interrupt("read_effect", {});
  const again = await askAgain("/tools/read_effect", key, {});
  expect(again).toMatchObject({ status: 200, body: { isError: false, result: { done: true } } });
  expect(await askAgain("/tools/read_effect", key, {})).toEqual(again);
}, 240_000);
