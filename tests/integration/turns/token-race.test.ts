import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getSession } from "../../../src/server/sessions";
import { claimTurns, createSession, sendMessage } from "../../../src/server/turns";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { logOf, logProblems, ofType } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";
import type { RacerTask } from "../../support/token-racer";

const PROCESSES = 12;
/** Inside the tree, so that packages are found from there. */
const RACER = "node_modules/.cache/berth/token-racer.mjs";

let berth: TestPlatform;
let agent: SeededAgent;

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
});
afterAll(() => berth.stop());

const open = () => createSession(agent.ctx, { agentId: agent.agentId, message: "hi" });

async function expectOneWinner(sessionId: string, tokens: string[]): Promise<void> {
  expect(tokens).toHaveLength(1);
  const session = await getSession(agent.ctx, { agentId: agent.agentId, sessionId });
  expect(session.continuationToken).toBe(tokens[0]);
  const events = await logOf(agent.orgId, sessionId);
  expect(ofType(events, "message.received")).toHaveLength(2);
}

test.each(["preempt", "coalesce"] as const)(
  "of fifty racers with one token one wins: %s",
  async (admission) => {
    const { sessionId, continuationToken } = await open();
    await claimTurns("w1", 1_000);
    const to = { agentId: agent.agentId, sessionId, message: "me", continuationToken, admission };
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => sendMessage(agent.ctx, to)),
    );
    const codes = results.flatMap((r) => (r.status === "rejected" ? [r.reason.code] : []));
    expect(codes).toEqual(Array.from({ length: 49 }, () => "stale_continuation_token"));
    const tokens = results.flatMap((r) =>
      r.status === "fulfilled" ? [r.value.continuationToken] : [],
    );
    await expectOneWinner(sessionId, tokens);
  },
);

test("of twelve processes with one token one wins", async () => {
  const { sessionId, continuationToken } = await open();
  await claimTurns("w1", 1_000);
  const task: RacerTask = {
    env: settings(),
    ctx: { ...agent.ctx, permissions: [...agent.ctx.permissions] },
    message: { agentId: agent.agentId, sessionId, message: "me", continuationToken },
  };
  await build({
    ...{ entryPoints: ["tests/support/token-racer.ts"], outfile: RACER },
    ...{ bundle: true, platform: "node", format: "esm", packages: "external" },
  });
  const racers = Array.from({ length: PROCESSES }, () => racer(task));
  const exits = racers.map((child) => once(child, "exit"));
  await Promise.all(racers.map((child) => once(child, "message")));
  const answers = racers.map((child) => once(child, "message"));
  for (const child of racers) child.send("go");
  const outcomes = (await Promise.all(answers)).map(([outcome]) => outcome);
  expect((await Promise.all(exits)).map(([code]) => code)).toEqual(racers.map(() => 0));
  const codes = outcomes.flatMap(({ code }) => (code === undefined ? [] : [code]));
  expect(codes).toEqual(Array.from({ length: PROCESSES - 1 }, () => "stale_continuation_token"));
  await expectOneWinner(
    sessionId,
    outcomes.flatMap((outcome) => outcome.continuationToken ?? []),
  );
  expect(
    (await logProblems(berth, sessionId)).filter(({ what }) => what.startsWith("hole")),
  ).toEqual([]);
}, 120_000);

function racer(task: RacerTask): ChildProcess {
  const child = fork(RACER, { execArgv: [] });
  child.send(task);
  return child;
}

/** What another process needs to be one of the same installation. */
function settings(): Record<string, string> {
  const { env } = berth.platform;
  return {
    DATABASE_URL: env.DATABASE_URL,
    BERTH_SECRET: env.BERTH_SECRET,
    BERTH_MASTER_KEY: env.BERTH_MASTER_KEY,
    BERTH_INTERNAL_TOKEN: env.BERTH_INTERNAL_TOKEN,
    BERTH_LOG_LEVEL: "error",
    DATABASE_POOL: "2",
  };
}
