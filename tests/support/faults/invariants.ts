import { expect } from "vitest";
import type { Farm } from "./farm";

/**
 * What holds after every fault. I1: indexes without holes. I2: one terminal event per accepted
 * message. I3: no call had more effects than attempts, and a write never more than one.
 * I4: no turn runs without a living owner. I6: no row names an org it does not belong to.
 */
export async function expectInvariants(farm: Farm): Promise<void> {
  expect(await holes(farm), "I1: holes or repeats in a log").toEqual([]);
  expect(await endings(farm), "I2: messages without exactly one end").toEqual([]);
  expect(await effectsBeyondAttempts(farm), "I3: effects beyond attempts").toEqual([]);
  expect(await ownerless(farm), "I4: running turns without a living owner").toEqual([]);
  expect(await strangers(farm), "I6: rows of another org").toEqual([]);
}

const holes = ({ sql }: Farm) =>
  sql(`SELECT s.id, s.next_index, count(e.index)::int AS events, max(e.index) AS last
       FROM session s LEFT JOIN event e ON e.org_id = s.org_id AND e.session_id = s.id
       GROUP BY s.org_id, s.id, s.next_index
       HAVING count(e.index) <> s.next_index OR coalesce(max(e.index), -1) <> s.next_index - 1`);

/** A message ends with its turn; each ended turn has one terminal event and no live one has any. */
const endings = ({ sql }: Farm) =>
  sql(`SELECT m.id, t.status, count(e.index)::int AS ends
       FROM message m
       LEFT JOIN turn t ON t.org_id = m.org_id AND t.id = m.turn_id
       LEFT JOIN event e ON e.org_id = m.org_id AND e.session_id = m.session_id
         AND e.turn_id = m.turn_id AND e.type IN ('turn.completed', 'turn.failed')
       GROUP BY m.org_id, m.id, t.status
       HAVING count(e.index) <> CASE WHEN t.status IN ('completed', 'failed', 'cancelled') THEN 1 ELSE 0 END`);

async function effectsBeyondAttempts({ sql, effects }: Farm) {
  const calls = await sql<{ call_id: string; tool_name: string; attempt: number }>(
    "SELECT call_id, tool_name, attempt FROM tool_call",
  );
  return calls.filter(({ call_id, tool_name, attempt }) => {
    const count = effects.counts.get(call_id) ?? 0;
    return count > (tool_name === "read_effect" ? attempt : 1);
  });
}

const ownerless = ({ sql }: Farm) =>
  sql(`SELECT t.id, t.status, t.lease_until FROM turn t
       WHERE t.status = 'running' AND t.lease_until < clock_timestamp() - interval '5 seconds'`);

const strangers = ({ sql }: Farm) =>
  sql(`SELECT e.session_id FROM event e LEFT JOIN session s
         ON s.org_id = e.org_id AND s.id = e.session_id WHERE s.id IS NULL`);
