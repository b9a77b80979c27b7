import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/event";
import { type Farm, startFarm } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { killOwner } from "../support/faults/kill-owner";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { begin as beginIn, follow as followIn } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";

/** SPEC 4: a turn whose worker was killed has gone on elsewhere by then. */
const SETTLED_MS = 15_000;

let farm: Farm;
const random = seededRandom("killed worker");

beforeAll(async () => {
  farm = await startFarm({ workers: 2 });
});
afterAll(() => farm?.stop());

/** Milliseconds from each kill to the end of its turn. */
const settled: number[] = [];

afterAll(() => {
  const slowest = settled.sort((a, b) => a - b)[Math.ceil(0.95 * settled.length) - 1] ?? 0;
  process.stdout.write(`killed worker: p95 of ${settled.length} kills ${Math.round(slowest)} ms\n`);
});

const begin = (message: string) => beginIn(farm, message);
const follow = (sessionId: string, at?: (event: SessionEvent) => Promise<void> | void) =>
  followIn(farm, sessionId, at);

/** What a reader shows of the events: deltas of a lower attempt's unfinished step are dropped. */
const attempts = (events: SessionEvent[]): number[] =>
  events.flatMap((event) => (event.type === "turn.started" ? [event.data.attempt] : []));

describe.each(["mid-token", "mid-tool", "after the effect", "after the result"])(
  "killed %s",
  (point) => {
    test(
      "the turn settles elsewhere, once",
      async () => {
        const times: number[] = [];
        for (let round = 0; round < rounds(1, 25); round++) times.push(await killAt(point));
        process.stdout.write(
          `killed ${point}: settled in ${times.map(Math.round).join(", ")} ms\n`,
        );
        settled.push(...times);
        for (const ms of times) expect(ms).toBeLessThan(SETTLED_MS);
        await expectInvariants(farm);
      },
      rounds(80_000, 600_000),
    );
  },
);

async function killAt(point: string): Promise<number> {
  let killedAt = 0;
  const kill = async (sessionId: string) => {
    if (killedAt === 0) killedAt = await killOwner(farm, sessionId);
  };
  if (point === "mid-token") {
    // The first answer never ends, so that the kill cannot come too late.
    const text = `one two three four five ${random()}`;
    const sessionId = await begin(scriptText({ text, delayMs: 20, hang: "middle", times: 1 }));
    const events = await follow(sessionId, async ({ type }) => {
      if (type === "message.appended") await kill(sessionId);
    });
    expect(events.at(-1)?.type).toBe("turn.completed");
    expect(attempts(events)).toEqual([1, 2]);
    return performance.now() - killedAt;
  }
  const held = point === "after the result" ? undefined : farm.effects.hold();
  const tool = random() < 0.5 ? "read_effect" : "write_effect";
  const sessionId = await begin(
    // Long enough for the kill to come before the end.
    scriptText({ calls: [{ name: tool, input: {} }] }, { text: "done", delayMs: 1_500 }),
  );
  const killing = held?.then(async ({ release }) => {
    if (point === "after the effect") {
      release();
      await sleep(random() * 10);
    }
    await kill(sessionId);
    release();
  });
  const events = await follow(sessionId, async ({ type }) => {
    if (point === "after the result" && type === "action.result") await kill(sessionId);
  });
  await killing;
  expect(events.at(-1)?.type).toBe("turn.completed");
  expectOneResult(events, tool);
  return performance.now() - killedAt;
}

/** A call has one result; one that may have been interrupted says so or was a read made again. */
function expectOneResult(events: SessionEvent[], tool: string): void {
  const results = events.flatMap((event) => (event.type === "action.result" ? [event.data] : []));
  expect(results).toHaveLength(1);
  const [result] = results;
  if (tool === "read_effect") expect(result?.isError).toBe(false);
  else if (result?.isError) expect(String(result.result)).toMatch(/may or may not have happened/);
}

test("a worker that is stopped for longer than its lease writes nothing when it wakes", async () => {
  const sessionId = await begin(scriptText({ text: "one two three four five six", delayMs: 200 }));
  let frozen: (typeof farm.workers)[number] | undefined;
  const events = await follow(sessionId, async ({ type }) => {
    if (type !== "message.appended" || frozen) return;
    const [row] = await farm.sql<{ address: string }>(
      "SELECT w.address FROM turn t JOIN worker w ON w.id = t.worker_id WHERE t.session_id = $1",
      [sessionId],
    );
    frozen = farm.workers.find((_, i) => row?.address.endsWith(`worker-${i}.sock`));
    frozen?.signal("SIGSTOP");
  });
  expect(events.at(-1)?.type).toBe("turn.completed");
  expect(attempts(events)).toEqual([1, 2]);
  frozen?.signal("SIGCONT");
  const length = async () => {
    const [row] = await farm.sql<{ n: number }>(
      "SELECT next_index AS n FROM session WHERE id = $1",
      [sessionId],
    );
    return row?.n;
  };
  const before = await length();
  // The woken worker renews its leases within this time and learns that the turn is not its own.
  await sleep(5_000);
  expect(await length()).toBe(before);
  await expectInvariants(farm);
});

test("a turn that costs three workers their lives ends as failed, and others go on", async () => {
  const poison = await begin(scriptText({ text: "a b c d e f g h i j", delayMs: 300 }));
  const kills = new Set<number>();
  const events = await follow(poison, async (event) => {
    if (event.type !== "turn.started" || kills.has(event.data.attempt)) return;
    kills.add(event.data.attempt);
    await killOwner(farm, poison);
  });
  expect(attempts(events)).toEqual([1, 2, 3]);
  expect(events.at(-1)).toMatchObject({
    type: "turn.failed",
    data: { status: "failed", error: { code: "attempts_exhausted" } },
  });
  const other = await begin("hello");
  expect((await follow(other)).at(-1)?.type).toBe("turn.completed");
  await expectInvariants(farm);
});

test("a tool that crashes or blocks its process harms nobody else", async () => {
  await farm.ready();
  const calls = ["abort", "block"].map((name) => ({ name, input: {} }));
  const hostile = await begin(scriptText({ calls }, { text: "survived" }));
  const ended = follow(hostile);
  const others = await Promise.all(
    Array.from({ length: 5 }, () => begin("hello").then((id) => follow(id))),
  );
  for (const events of others) expect(events.at(-1)?.type).toBe("turn.completed");
  const events = await ended;
  expect(events.at(-1)?.type).toBe("turn.completed");
  const results = events.filter(({ type }) => type === "action.result");
  expect(results.map((event) => event.type === "action.result" && event.data.isError)).toEqual([
    true,
    true,
  ]);
  await expectInvariants(farm);
});

test("workers that are asked to stop, one after the other, hand their turns over", async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      begin(scriptText({ text: `one two three four five six ${i}`, delayMs: 250 })),
    ),
  );
  const ended = Promise.all(sessions.map((id) => follow(id)));
  for (let round = 0; round < rounds(1, 5); round++) {
    for (const worker of farm.workers) {
      await worker.end("SIGTERM");
      worker.start();
      await farm.ready();
    }
  }
  for (const events of await ended) {
    expect(events.at(-1)?.type).toBe("turn.completed");
    // Handing over is no lost attempt.
    expect(Math.max(...attempts(events))).toBe(1);
  }
  await expectInvariants(farm);
}, 400_000);
