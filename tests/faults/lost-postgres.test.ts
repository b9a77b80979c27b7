import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { type OwnPostgres, startOwnPostgres } from "../support/faults/own-postgres";
import { seededRandom } from "../support/faults/seeded-random";
import { ask, begin, follow } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";

/** How long Postgres is away. */
const AWAY_MS = 10_000;

let parent: string;
let server: OwnPostgres;
let farm: Farm;
const random = seededRandom("lost postgres");

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "berth-faults-pg-"));
  await chmod(parent, 0o711); // as root, Postgres runs as somebody else and must get through
  server = await startOwnPostgres(parent);
  farm = await startFarm({ workers: 2, database: server });
});
afterAll(async () => {
  await farm?.stop();
  await server?.stop();
  await rm(parent, { recursive: true, force: true });
});

test("a Postgres that goes away for a while loses no accepted message", async () => {
  const accepted = new Set<string>();
  const refused = new Set<number>();
  let stopped = false;
  const sender = async (n: number) => {
    for (let i = 0; !stopped; i++) {
      const message = scriptText({ text: `answer ${n} ${i} and a few words more`, delayMs: 20 });
      const answer = await ask(farm, "/session", {
        method: "POST",
        body: JSON.stringify({ message }),
      }).catch(() => undefined);
      if (answer?.status === 202) accepted.add((await answer.json()).sessionId);
      else if (answer) refused.add(answer.status);
      await sleep(20 + random() * 60);
    }
  };
  const senders = Array.from({ length: 8 }, (_, n) => sender(n));
  await sleep(1_500);
  await server.crash();
  await sleep(AWAY_MS);
  await server.start();
  await farm.ready();
  await sleep(1_000);
  stopped = true;
  await Promise.all(senders);
  expect([...refused].filter((status) => status !== 503)).toEqual([]);
  process.stdout.write(`lost postgres: ${accepted.size} sessions accepted\n`);
  await until(
    () => "every session to come to rest",
    async () => {
      const live = await farm.sql("SELECT id FROM turn WHERE status IN ('queued', 'running')");
      return live.length === 0;
    },
  );
  const kept = await farm.sql<{ id: string }>("SELECT id FROM session");
  const ids = new Set(kept.map(({ id }) => id));
  expect([...accepted].filter((id) => !ids.has(id))).toEqual([]);
  await expectInvariants(farm);
}, 180_000);

test("streams go on after it came back", async () => {
  const sessionId = await begin(farm, scriptText({ text: "a b c d e f g h i j", delayMs: 300 }));
  const following = follow(farm, sessionId);
  await sleep(600);
  await server.crash();
  await server.start();
  const events = await following;
  expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i));
  expect(events.at(-1)?.type).toBe("turn.completed");
  await expectInvariants(farm);
});

test("a starved pool recovers by itself", async () => {
  const starved = await startFarm({ env: { DATABASE_POOL: "2" } });
  try {
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ask(starved, i % 100 === 7 ? "/session/ses_nobody" : "/sessions?limit=1").then(
          ({ status }) => status,
        ),
      ),
    );
    expect(many.every((status) => [200, 404, 503].includes(status))).toBe(true);
    const since = performance.now();
    await until(
      () => "an answer after the load",
      async () => (await ask(starved, "/sessions?limit=1")).status === 200,
      5_000,
    );
    expect(performance.now() - since).toBeLessThan(5_000);
    expect((await follow(starved, await begin(starved, "hi"))).at(-1)?.type).toBe("turn.completed");
    await expectInvariants(starved);
  } finally {
    await starved.stop();
  }
});
