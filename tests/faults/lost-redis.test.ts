import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/event";
import { createClient } from "../../src/sdk/client";
import { redisServerPath } from "../support/capabilities";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { killOwner } from "../support/faults/kill-owner";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { type RedisServer, startRedis } from "../support/redis-server";
import { scriptText } from "../support/scripted-model/script";

/** SPEC 4: what waited when the queue was emptied has started by then. */
const STARTED_MS = 15_000;
/** A stream that lost its wakes looks for itself after 2 s of silence. */
const QUIET_MS = 4_000;

describe.skipIf(!redisServerPath)("a Redis that loses everything", () => {
  const random = seededRandom("lost redis");
  let redis: RedisServer;
  let farm: Farm;

  beforeAll(async () => {
    redis = await startRedis();
    farm = await startFarm({
      webs: 2,
      workers: 2,
      env: { REDIS_URL: `${redis.url}/3`, BERTH_LOG_LEVEL: "info" },
    });
  });
  afterAll(async () => {
    await farm?.stop();
    await redis?.stop();
  });

  /** Follows a session through one of the web processes, to the end of its turn. */
  async function follow(web: number, sessionId: string, at: () => unknown = () => undefined) {
    const client = createClient({ url: farm.urls[web] ?? "", token: farm.apiKey });
    const events: SessionEvent[] = [];
    let seenAt = performance.now();
    let longest = 0;
    for await (const event of client.agent(farm.org, farm.agent).events(sessionId)) {
      longest = Math.max(longest, performance.now() - seenAt);
      seenAt = performance.now();
      events.push(event);
      if (event.type === "message.appended") await at();
      if (event.type === "turn.completed" || event.type === "turn.failed") break;
    }
    return { events, longest };
  }

  const begin = (message: string) =>
    farm.client.agent(farm.org, farm.agent).createSession({ message });

  /** One turn, seen through both web processes; `fault` comes once, somewhere in its answer. */
  async function turnWith(fault: () => Promise<void>): Promise<void> {
    const { sessionId } = await begin(
      scriptText({ text: "one two three four five six seven eight", delayMs: 150 }),
    );
    let left = Math.ceil(random() * 5);
    let done: Promise<void> | undefined;
    const at = () => {
      left -= 1;
      if (left <= 0) done ??= fault();
    };
    const [one, two] = await Promise.all([follow(0, sessionId, at), follow(1, sessionId)]);
    await done;
    expect(one.events.at(-1)?.type).toBe("turn.completed");
    expect(two.events).toEqual(one.events);
    expect(one.events.map(({ index }) => index)).toEqual(one.events.map((_, i) => i));
    expect(Math.max(one.longest, two.longest)).toBeLessThan(QUIET_MS);
  }

  /** Milliseconds until a version that differs from all before is built and answers. */
  async function deployed(label: string, fault?: () => Promise<unknown>): Promise<number> {
    const since = performance.now();
    const built = farm.deploy({ "bot/instructions.md": `Answer. ${label} ${random()}\n` });
    await fault?.();
    await built;
    return performance.now() - since;
  }

  const readyz = async (web: number) => (await fetch(`${farm.urls[web]}/readyz`)).json();

  test("carries wakes and jobs: both web processes show an answer as it is spoken", async () => {
    const { sessionId } = await begin(scriptText({ text: "one two three four", delayMs: 300 }));
    const [one, two] = await Promise.all([follow(0, sessionId), follow(1, sessionId)]);
    // Without wakes a stream would look every 2 s and show the answer in one piece.
    for (const { events, longest } of [one, two]) {
      expect(longest).toBeLessThan(1_500);
      expect(events.filter(({ type }) => type === "message.appended").length).toBeGreaterThan(2);
    }
    expect(await readyz(1)).toMatchObject({ ok: true, checks: { queue: { ok: true } } });
  });

  test("emptied in a turn and in a build", async () => {
    for (let round = 0; round < rounds(2, 10); round++) {
      await turnWith(() => redis.flush());
      expect(await deployed("emptied", () => redis.flush())).toBeLessThan(STARTED_MS);
    }
    await expectInvariants(farm);
  }, 300_000);

  test("cut off in a turn", async () => {
    for (let round = 0; round < rounds(2, 10); round++) await turnWith(() => redis.cut());
    await expectInvariants(farm);
  }, 120_000);

  test("emptied with the worker of a call killed: the turn goes on elsewhere, once", async () => {
    for (let round = 0; round < rounds(1, 10); round++) {
      const held = farm.effects.hold();
      const { sessionId } = await begin(
        scriptText({ calls: [{ name: "write_effect", input: {} }] }, { text: "done" }),
      );
      const { callId, release } = await held;
      await redis.flush();
      const killedAt = await killOwner(farm, sessionId);
      release();
      const { events } = await follow(0, sessionId);
      expect(performance.now() - killedAt).toBeLessThan(STARTED_MS);
      expect(events.at(-1)?.type).toBe("turn.completed");
      expect(farm.effects.counts.get(callId)).toBe(1);
    }
    await farm.ready();
    await expectInvariants(farm);
  }, 300_000);

  test("away for seconds: work goes on, readiness says so, and it is told once", async () => {
    const marks = [...farm.webs, ...farm.workers].map(({ output }) => output.length);
    await redis.restart(async () => {
      const { sessionId } = await begin("hello");
      const { events } = await follow(1, sessionId);
      expect(events.at(-1)?.type).toBe("turn.completed");
      expect(await deployed("away")).toBeLessThan(STARTED_MS);
      expect(await readyz(0)).toMatchObject({
        ok: false,
        checks: { queue: { ok: false, detail: expect.stringMatching(/REDIS_URL/) } },
      });
      await sleep(random() * 2_000);
    });
    await farm.ready();
    const written = (i: number) =>
      ([...farm.webs, ...farm.workers][i]?.output ?? "").slice(marks[i]).split("\n");
    for (const i of marks.keys()) {
      const said = (text: string) => written(i).filter((line) => line.includes(text)).length;
      await until(
        () => written(i).join("\n"),
        async () => said("Redis is back") > 0,
      );
      expect(said("Redis is away"), written(i).join("\n")).toBe(1);
      expect(said("Redis is back")).toBe(1);
    }
    await turnWith(() => Promise.resolve());
    await expectInvariants(farm);
  }, 120_000);

  test("silent for seconds, as in a pause: nobody waits for it", async () => {
    process.kill(redis.pid(), "SIGSTOP");
    try {
      const since = performance.now();
      const { sessionId } = await begin("hello");
      expect(performance.now() - since).toBeLessThan(2_000);
      expect((await follow(0, sessionId)).events.at(-1)?.type).toBe("turn.completed");
      expect(await deployed("silent")).toBeLessThan(STARTED_MS);
    } finally {
      process.kill(redis.pid(), "SIGCONT");
    }
    await farm.ready();
    await turnWith(() => Promise.resolve());
    await expectInvariants(farm);
  }, 120_000);
});
