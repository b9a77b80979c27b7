import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/event";
import { agentFile, type Farm, startFarm } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { begin, follow } from "../support/faults/sessions";
import { type ScriptedStep, scriptText } from "../support/scripted-model/script";

/** As few as make a turn that keeps its slot after its end hold up the others. */
const SLOTS = 2;
/** A model that hangs is given up when the turn's wall time is over. */
const WALL_MS = 15_000;

let farm: Farm;

beforeAll(async () => {
  farm = await startFarm({ env: { BERTH_WORKER_SLOTS: String(SLOTS) } });
  const settings = `limits: { wallMs: ${WALL_MS} }`;
  await farm.deploy({ "bot/agent.ts": agentFile(farm.effects.host, settings) });
});
afterAll(() => farm?.stop());

const call = (name: string, id?: string) => ({ name, input: {}, ...(id ? { id } : {}) });

/** Each fault, and `finished` or the code with which its turn fails. */
const FAULTS: [name: string, steps: ScriptedStep[], ending: string][] = [
  [
    "429 twice, with Retry-After",
    [{ status: 429, retryAfterS: 1, times: 2, text: "after" }],
    "finished",
  ],
  ["429 for ever", [{ status: 429, retryAfterS: 0 }], "model_rate_limited"],
  ["429 that asks for an hour", [{ status: 429, retryAfterS: 3_600 }], "model_rate_limited"],
  ["500 once", [{ status: 500, times: 1, text: "after" }], "finished"],
  ["503 for ever", [{ status: 503 }], "model_error"],
  ["400, which no repeat would change", [{ status: 400 }], "model_error"],
  ["garbage once", [{ garbage: true, times: 1, text: "after" }], "finished"],
  ["garbage for ever", [{ garbage: true }], "model_error"],
  ["a stream that breaks off", [{ truncate: true, text: "a b c d" }], "model_error"],
  ["an empty stop", [{ text: "" }], "model_error"],
  [
    "two calls with one id",
    [{ calls: [call("write_effect", "same"), call("write_effect", "same")] }, { text: "after" }],
    "finished",
  ],
  [
    "input that is no JSON",
    [{ calls: [{ name: "write_effect", input: '{"a":' }] }, { text: "after" }],
    "finished",
  ],
  ["a tool that does not exist", [{ calls: [call("nobody")] }, { text: "after" }], "finished"],
  ["a hang before the answer", [{ hang: "start" }], "turn_timeout"],
  ["a hang in the answer", [{ hang: "middle", text: "a b c d" }], "turn_timeout"],
];

const endingOf = (events: SessionEvent[]): string => {
  const last = events.at(-1);
  if (last?.type === "turn.completed") return last.data.status;
  return last?.type === "turn.failed" ? last.data.error.code : `${last?.type}`;
};

test("every fault of a model ends its turn by name and frees its slot", async () => {
  const runs = FAULTS.map(async ([name, steps, ending]) => {
    const events = await follow(farm, await begin(farm, scriptText(...steps)));
    return { name, ending: endingOf(events), wanted: ending };
  });
  for (const { name, ending, wanted } of await Promise.all(runs)) {
    expect(`${name}: ${ending}`).toBe(`${name}: ${wanted}`);
  }
  // More than there are slots: each must be free again.
  const after = await Promise.all(
    Array.from({ length: 2 * SLOTS }, async () => follow(farm, await begin(farm, "hello"))),
  );
  expect(after.map(endingOf)).toEqual(after.map(() => "finished"));
  await expectInvariants(farm);
});

test("two calls with one id are two calls, each with one effect and one result", async () => {
  const before = farm.effects.counts.size;
  const twice = { calls: [call("write_effect", "again"), call("write_effect", "again")] };
  const sessionId = await begin(farm, scriptText(twice, { text: "after" }));
  const events = await follow(farm, sessionId);
  const results = events.flatMap((e) => (e.type === "action.result" ? [e.data] : []));
  expect(new Set(results.map(({ callId }) => callId)).size).toBe(2);
  expect(farm.effects.counts.size - before).toBe(2);
  await expectInvariants(farm);
});

test("a turn whose model hangs is stopped at once, and the slot with it", async () => {
  const hanging = await Promise.all(
    Array.from({ length: SLOTS }, () => begin(farm, scriptText({ hang: "start" }))),
  );
  const agent = farm.client.agent(farm.org, farm.agent);
  const since = performance.now();
  const ended = await Promise.all(
    hanging.map((id) =>
      follow(farm, id, async ({ type }) => {
        if (type === "turn.started") await agent.stop(id);
      }),
    ),
  );
  expect(ended.map(endingOf)).toEqual(ended.map(() => "cancelled"));
  expect(endingOf(await follow(farm, await begin(farm, "hello")))).toBe("finished");
  expect(performance.now() - since).toBeLessThan(WALL_MS);
  await expectInvariants(farm);
});
