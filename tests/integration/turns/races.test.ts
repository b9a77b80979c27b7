import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ctx } from "../../../src/server/platform/context";
import {
  type Claim,
  claimTurns,
  createSession,
  releaseTurn,
  type SentMessage,
  sendMessage,
  stopTurn,
  sweepTurns,
} from "../../../src/server/turns";
import { rounds, seededRandom } from "../../support/faults/seeded-random";
import { type SeededAgent, seedAgent } from "../../support/seed-agent";
import { channelCtx, complete, logProblems } from "../../support/session-log";
import { startTestPlatform, type TestPlatform } from "../../support/test-platform";

const RACES = rounds(1_000, 5_000);
/** Sessions that race at the same time. */
const WIDTH = 25;

let berth: TestPlatform;
let agent: SeededAgent;
let people: Ctx[];

beforeAll(async () => {
  berth = await startTestPlatform();
  agent = await seedAgent(berth);
  people = [channelCtx(agent.ctx), channelCtx(agent.ctx), channelCtx(agent.ctx)];
});
afterAll(() => berth.stop());

const random = seededRandom("turn races");
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

/** Everything that may happen to a session whose turn runs, except that nobody runs it at all. */
const ACTIONS: ((sessionId: string, claim: Claim) => Promise<unknown>)[] = [
  (sessionId) => say(sessionId, "preempt"),
  (sessionId) => say(sessionId, "preempt"),
  (sessionId) => say(sessionId, "coalesce"),
  (sessionId) => say(sessionId, "coalesce"),
  (sessionId) => stop(sessionId, {}),
  (sessionId) => stop(sessionId, { clearQueued: true }),
  (sessionId, { turnId }) => stop(sessionId, { turnId, clearQueued: random() < 0.5 }),
  (_, claim) => complete(claim),
  (_, claim) => releaseTurn(claim),
  (_, claim) => call("deliver_messages", claim, "1"),
  (_, claim) => call("park_turn", claim, "'{}', '{}'"),
  (_, { turnId }) =>
    berth.sql("UPDATE turn SET lease_until = now() - interval '1 s' WHERE id = $1", [turnId]),
  () => sweepTurns(),
];

const call = (name: string, { orgId, sessionId, turnId, epoch }: Claim, more: string) =>
  berth.platform.pool.query(`SELECT berth_${name}($1, $2, $3, $4, ${more})`, [
    ...[orgId, sessionId, turnId, epoch],
  ]);
const say = (sessionId: string, admission: "preempt" | "coalesce"): Promise<SentMessage> =>
  sendMessage(pick(people), {
    ...{ agentId: agent.agentId, sessionId, message: admission, channel: "talk", admission },
  });
const stop = (sessionId: string, how: { turnId?: string; clearQueued?: boolean }) =>
  stopTurn(people[0]!, { agentId: agent.agentId, sessionId, ...how });

async function race(claim: Claim): Promise<SentMessage[]> {
  const actions = Array.from({ length: 3 + Math.floor(random() * 5) }, () => pick(ACTIONS));
  const results = await Promise.allSettled(actions.map((act) => act(claim.sessionId, claim)));
  return results.flatMap((result) => {
    if (result.status === "rejected") throw result.reason;
    const sent = result.value as Partial<SentMessage> | null | undefined;
    return sent?.messageId === undefined ? [] : [sent as SentMessage];
  });
}

/** Ends everything that is still live, as workers do, and stops what is parked. */
async function settle(sessionIds: string[]): Promise<void> {
  const live = "SELECT 1 FROM turn WHERE status IN ('queued', 'running', 'parked') LIMIT 1";
  for (let i = 0; (await berth.sql(live)).length > 0; i += 1) {
    if (i > 50) throw new Error("the sessions do not settle");
    await berth.sql(
      "UPDATE turn SET lease_until = now() - interval '1 s' WHERE status = 'running'",
    );
    await sweepTurns();
    for (const claim of await claimTurns("w2", 1_000)) await complete(claim);
    const parked = await berth.sql<{ session_id: string; id: string }>(
      "SELECT session_id, id FROM turn WHERE status = 'parked' AND session_id = ANY ($1)",
      [sessionIds],
    );
    for (const { session_id, id } of parked) await stop(session_id, { turnId: id });
  }
}

test("whatever races, each accepted message ends once and the logs have no holes", async () => {
  let accepted = 0;
  for (let done = 0; done < RACES; done += WIDTH) {
    const opened = await Promise.all(
      Array.from({ length: WIDTH }, () =>
        createSession(people[0]!, { agentId: agent.agentId, message: "hi", channel: "talk" }),
      ),
    );
    const claims = await claimTurns("w1", 1_000);
    expect(claims).toHaveLength(WIDTH);
    const sent = (await Promise.all(claims.map(race))).flat();
    accepted += opened.length + sent.length;
    await settle(opened.map(({ sessionId }) => sessionId));
  }
  expect(await logProblems(berth)).toEqual([]);
  const messages = await berth.sql<{ live: boolean; strange: boolean }>(
    `SELECT t.status NOT IN ('completed', 'cancelled', 'failed') AS live,
       m.principal <> t.principal AS strange
     FROM message m JOIN turn t ON t.org_id = m.org_id AND t.id = m.turn_id`,
  );
  expect(messages).toHaveLength(accepted);
  expect(messages.filter(({ live, strange }) => live || strange)).toEqual([]);
  const outOfOrder = await berth.sql(
    `SELECT a.id, b.id FROM message a JOIN turn ta ON ta.id = a.turn_id
     JOIN message b ON b.session_id = a.session_id AND b.principal = a.principal
       AND b.created_at > a.created_at JOIN turn tb ON tb.id = b.turn_id
     WHERE tb.started_at < ta.started_at`,
  );
  expect(outOfOrder, "turns that passed an earlier message of their principal").toEqual([]);
  const unsettled = await berth.sql("SELECT id, status FROM session WHERE status <> 'waiting'");
  expect(unsettled).toEqual([]);
}, 300_000);
