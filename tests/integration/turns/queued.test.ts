import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { claimTurns, createSession, sendMessage, sweepTurns } from "../../../src/server/turns";
import { manifestWith, type SeededAgent, seedAgent, seedWorker } from "../../support/seed-agent";
import { complete, logOf, ofType } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

let berth: TestPlatform;

beforeAll(async () => {
  berth = await startTestPlatform();
});
afterAll(() => berth.stop());
beforeEach(async () => {
  await berth.sql("DELETE FROM org");
  await seedWorker(berth);
});

const open = ({ ctx, agentId }: SeededAgent) => createSession(ctx, { agentId, message: "hi" });
const follow = ({ ctx, agentId }: SeededAgent, sessionId: string) =>
  sendMessage(ctx, { agentId, sessionId, message: "more" });

/** Positions of the turns of a session that were told to wait, by turn. */
async function told({ orgId }: SeededAgent, sessionId: string) {
  const queued = ofType(await logOf(orgId, sessionId), "turn.queued");
  return queued.map(({ turnId, data }) => [turnId, data.position]);
}

test("a turn that a worker takes at once is not told to wait", async () => {
  const agent = await seedAgent(berth);
  const sent = await open(agent);
  await claimTurns("w1", 10);
  await sweepTurns();
  expect(await told(agent, sent.sessionId)).toEqual([]);
});

test("under maxRunningTurns each waiting turn is told how many of its agent come before", async () => {
  const agent = await seedAgent(berth, manifestWith({ maxRunningTurns: 2 }));
  const sent = [];
  for (let i = 0; i < 5; i += 1) sent.push(await open(agent));
  const positions = await Promise.all(sent.map(({ sessionId }) => told(agent, sessionId)));
  expect(positions.flat().map(([, position]) => position)).toEqual([2, 3, 4]);
  expect(await claimTurns("w1", 10)).toHaveLength(2);
  const another = await seedAgent(berth, manifestWith({ maxRunningTurns: 1 }));
  expect(await told(another, (await open(another)).sessionId)).toEqual([]);
});

test("behind another turn of its session a turn waits, and is told once", async () => {
  const agent = await seedAgent(berth);
  const first = await open(agent);
  const second = await follow(agent, first.sessionId);
  const third = await follow(agent, first.sessionId);
  const expected = [
    [second.turnId, 1],
    [third.turnId, 2],
  ];
  expect(await told(agent, first.sessionId)).toEqual(expected);
  for (const turnId of [first.turnId, second.turnId, third.turnId]) {
    const [claim] = await claimTurns("w1", 10);
    expect(claim!.turnId).toBe(turnId);
    await complete(claim!);
    await sweepTurns();
  }
  expect(await told(agent, first.sessionId)).toEqual(expected);
});

test("without a free slot a turn waits", async () => {
  await seedWorker(berth, 1);
  const agent = await seedAgent(berth);
  await open(agent);
  await claimTurns("w1", 1);
  const second = await open(agent);
  expect(await told(agent, second.sessionId)).toEqual([[second.turnId, 0]]);
  await berth.sql("UPDATE worker SET seen_at = now() - interval '6 seconds'");
  const third = await open(agent);
  expect(await told(agent, third.sessionId)).toEqual([[third.turnId, 1]]);
});

test("at its org's cap a turn waits", async () => {
  await seedWorker(berth, 4);
  const agent = await seedAgent(berth);
  await seedAgent(berth);
  await open(agent);
  await open(agent);
  expect(await claimTurns("w1", 4)).toHaveLength(2);
  const third = await open(agent);
  expect(await told(agent, third.sessionId)).toEqual([[third.turnId, 0]]);
  expect(await claimTurns("w1", 2)).toEqual([]);
});

test("a turn that waits unforeseen is told by the sweep, once", async () => {
  const agent = await seedAgent(berth);
  const sent = await open(agent);
  await sweepTurns();
  expect(await told(agent, sent.sessionId)).toEqual([]);
  await berth.sql("UPDATE turn SET queued_at = queued_at - interval '2 seconds'");
  await sweepTurns();
  await sweepTurns();
  expect(await told(agent, sent.sessionId)).toEqual([[sent.turnId, 0]]);
});

test("while there is another org, one holds at most half of all slots", async () => {
  await seedWorker(berth, 10);
  const busy = await seedAgent(berth);
  const other = await seedAgent(berth);
  for (let i = 0; i < 12; i += 1) await open(busy);
  expect(await claimTurns("w1", 10)).toHaveLength(5);
  for (let i = 0; i < 7; i += 1) await open(other);
  const claims = await claimTurns("w2", 5);
  expect(claims.map(({ orgId }) => orgId)).toEqual(Array.from({ length: 5 }, () => other.orgId));
  expect(await claimTurns("w1", 10)).toEqual([]);
});

test("an org that is alone may hold every slot", async () => {
  await seedWorker(berth, 3);
  const agent = await seedAgent(berth);
  for (let i = 0; i < 4; i += 1) await open(agent);
  expect(await claimTurns("w1", 3)).toHaveLength(3);
});

test("an org with nothing running comes before one that runs turns already", async () => {
  await seedWorker(berth, 100);
  const busy = await seedAgent(berth);
  const late = await seedAgent(berth);
  for (let i = 0; i < 6; i += 1) await open(busy);
  expect(await claimTurns("w1", 2)).toHaveLength(2);
  await open(late);
  await open(late);
  await open(late);
  const claims = await claimTurns("w1", 4);
  expect(claims.map(({ orgId }) => orgId).toSorted()).toEqual(
    [late.orgId, late.orgId, late.orgId, busy.orgId].toSorted(),
  );
});

test("a claim reads no more of a line of 10,000 turns than of one of 1,000", async () => {
  const agent = await seedAgent(berth);
  const wait = (from: number, to: number) =>
    berth.sql(
      `WITH opened AS (
         INSERT INTO session (org_id, id, agent_id, channel, mode, principal, continuation_token)
         SELECT $1, 'ses_' || n, $2, 'http', 'chat', 'p', 'http:x' FROM generate_series($3::int, $4::int) n
         RETURNING org_id, id, agent_id)
       INSERT INTO turn (org_id, id, session_id, agent_id, principal)
       SELECT org_id, 'trn_' || id, id, agent_id, 'p' FROM opened`,
      [agent.orgId, agent.agentId, from, to],
    );
  const client = await berth.platform.pool.connect();
  /** Pages that a claim touches, once its statements are planned. */
  const pages = async () => {
    const explain =
      "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM berth_claim_turns('w', 3, '9 s', 1)";
    let plan: { Plan: Record<string, number> }[] = [];
    for (let i = 0; i < 8; i += 1) {
      const { rows } = await client.query<{ "QUERY PLAN": typeof plan }>(explain);
      plan = rows[0]!["QUERY PLAN"];
    }
    const { "Shared Hit Blocks": hit, "Shared Read Blocks": read } = plan[0]!.Plan;
    return hit! + read!;
  };
  try {
    await wait(1, 1_000);
    await berth.sql("ANALYZE turn");
    const few = await pages();
    await wait(1_001, 10_000);
    await berth.sql("ANALYZE turn");
    expect(await pages()).toBeLessThan(2 * few);
  } finally {
    client.release();
  }
});
