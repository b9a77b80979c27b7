import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../src/sdk/client";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import type { ProductProcess } from "../support/faults/product-process";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { ask } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";

let farm: Farm;
const random = seededRandom("rolling restart");

beforeAll(async () => {
  farm = await startFarm({ webs: 2, workers: 2 });
});
afterAll(() => farm?.stop());

interface Sent {
  sessionId: string;
  /** Answers that were no success, and how often nothing answered. */
  statuses: number[];
  unanswered: number;
}

/** Opens a session as a client behind a balancer does: whoever does not answer, the other may. */
async function send(n: number, message: string): Promise<Sent> {
  const init = {
    method: "POST",
    body: JSON.stringify({ message }),
    // A connection per request: a kept one may close under the next request, whoever serves it.
    headers: { "idempotency-key": `rolling-${n}-${random()}`, connection: "close" },
  };
  const statuses: number[] = [];
  for (let tried = 0, unanswered = 0; ; tried++) {
    const url = farm.urls[(n + tried) % farm.urls.length];
    const answer = await ask(farm, "/session", init, url).catch(() => undefined);
    if (answer?.status === 202) {
      return { sessionId: (await answer.json()).sessionId, statuses, unanswered };
    }
    if (answer) statuses.push(answer.status);
    else unanswered += 1;
    if (tried > 100) throw new Error(`never accepted: ${statuses.join(" ")}, ${unanswered} silent`);
    await sleep(100);
  }
}

/** The types of a session's events up to the end of its turn, as one follower gets them. */
async function followEnd(n: number, sessionId: string): Promise<string | undefined> {
  const client = createClient({ url: farm.urls[n % 2] ?? "", token: farm.apiKey });
  let next = 0;
  for await (const { index, type } of client.agent(farm.org, farm.agent).events(sessionId)) {
    expect(index).toBe(next++);
    if (type === "turn.completed" || type === "turn.failed") return type;
  }
  return undefined;
}

const isUp = (url: string | undefined) =>
  until(
    () => `${url} to be ready`,
    async () => (await fetch(`${url}/readyz`, { headers: { connection: "close" } })).status === 200,
  );

/** Replaces a process. @returns what took how long */
async function restart(service: ProductProcess): Promise<string> {
  const since = performance.now();
  const passed = () => Math.round(performance.now() - since);
  await service.end("SIGTERM");
  const ended = passed();
  service.start();
  const web = farm.webs.indexOf(service);
  await isUp(farm.urls[Math.max(web, 0)]);
  if (web < 0) {
    await until(
      () => "both workers",
      async () => (await liveWorkers()) === farm.workers.length,
    );
  }
  return `${web < 0 ? "worker" : "web"} ended in ${ended} ms, back in ${passed()} ms`;
}

const liveWorkers = async (): Promise<number> => {
  const [row] = await farm.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM worker
     WHERE NOT draining AND seen_at > now() - interval '5 seconds'`,
  );
  return row?.n ?? 0;
};

test("every process is replaced under load, and nobody loses anything", async () => {
  let over = false;
  const sent: Sent[] = [];
  const followed: Promise<string | undefined>[] = [];
  const sender = async (who: number) => {
    for (let i = 0; !over; i++) {
      const n = who * 10_000 + i;
      const one = await send(n, scriptText({ text: `one two three ${n}`, delayMs: 100 }));
      sent.push(one);
      followed.push(followEnd(n, one.sessionId));
      await sleep(100 + random() * 200);
    }
  };
  const senders = Array.from({ length: 3 }, (_, who) => sender(who));
  try {
    for (let round = 0; round < rounds(1, 5); round++) {
      for (const service of [...farm.workers, ...farm.webs]) {
        process.stdout.write(`rolling restart: ${await restart(service)}\n`);
      }
    }
  } finally {
    over = true;
  }
  await Promise.all(senders);
  const ends = await Promise.all(followed);
  expect(ends.filter((end) => end !== "turn.completed")).toEqual([]);
  const statuses = new Set(sent.flatMap((one) => one.statuses));
  // 409: the first try of a key is still at work in the process that is being replaced.
  expect([...statuses].filter((status) => status !== 503 && status !== 409)).toEqual([]);
  expect(new Set(sent.map(({ sessionId }) => sessionId)).size).toBe(sent.length);
  const [made] = await farm.sql<{ n: number }>("SELECT count(*)::int AS n FROM session");
  expect(made?.n).toBe(sent.length);
  const again = await farm.sql("SELECT id FROM turn WHERE attempt > 1");
  expect(again, "turns handed over lose no attempt").toEqual([]);
  process.stdout.write(`rolling restart: ${sent.length} sessions\n`);
  await expectInvariants(farm);
}, 600_000);
