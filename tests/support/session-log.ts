import type { SessionEvent } from "../../src/protocol/event";
import type { Ctx } from "../../src/server/platform/context";
import { newId } from "../../src/server/platform/id";
import { NO_SECRETS, readEvents } from "../../src/server/sessions";
import { type Claim, finishTurn } from "../../src/server/turns";
import type { TestPlatform } from "./test-platform";

/** A session's log so far, from index 0. */
export async function logOf(orgId: string, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let next = 0; ; ) {
    const page = await readEvents(orgId, sessionId, next);
    if (!page || page.lines.length === 0) return events;
    events.push(...page.lines.map((line) => JSON.parse(line) as SessionEvent));
    next = page.next;
  }
}

/** The types of a session's events from an index on. */
export const typesFrom = async (orgId: string, sessionId: string, from = 0) =>
  (await logOf(orgId, sessionId)).slice(from).map(({ type }) => type);

/** Events of one type, typed. */
export const ofType = <T extends SessionEvent["type"]>(events: SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

/** Another principal of the same org, let in by a channel. */
export const channelCtx = (ctx: Ctx, id = newId("usr")): Ctx => ({
  ...ctx,
  actor: { kind: "channel", id: `test:${id}` },
});

/** Ends a claimed turn as its owner does when the model is done. False where it was fenced. */
export const complete = (claim: Claim, text = "done"): Promise<boolean> =>
  finishTurn(
    { ...claim, redactor: NO_SECRETS },
    {
      status: "completed",
      events: [
        {
          type: "turn.completed",
          data: {
            status: "finished",
            text,
            usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
            durationMs: 1,
          },
        },
      ],
      idle:
        claim.mode === "task"
          ? { type: "session.completed", data: { text } }
          : { type: "session.waiting", data: {} },
      idleStatus: claim.mode === "task" ? "completed" : "waiting",
    },
  );

interface Problem {
  what: string;
  id: string;
}

/**
 * What contradicts the promises of a log: indexes from 0 without holes, one terminal event for each
 * ended turn and none for others, one turn for each message. Of one session, or of all.
 */
export async function logProblems(
  { sql }: TestPlatform,
  sessionId: string | null = null,
): Promise<Problem[]> {
  return await sql<Problem>(
    `SELECT 'hole in the log' AS what, s.id FROM session s
       JOIN event e ON e.org_id = s.org_id AND e.session_id = s.id WHERE s.id = coalesce($1, s.id)
     GROUP BY s.id, s.next_index
     HAVING count(*) <> s.next_index OR min(e.index) <> 0 OR max(e.index) <> s.next_index - 1
     UNION ALL
     SELECT 'ends of a turn: ' || count(e.index), t.id FROM turn t
       LEFT JOIN event e ON e.org_id = t.org_id AND e.session_id = t.session_id AND e.turn_id = t.id
         AND e.type IN ('turn.completed', 'turn.failed')
     WHERE t.session_id = coalesce($1, t.session_id) GROUP BY t.id, t.status
     HAVING count(e.index) <> (t.status IN ('completed', 'failed', 'cancelled'))::int
     UNION ALL
     SELECT 'a message without a turn', m.id FROM message m
     WHERE m.session_id = coalesce($1, m.session_id) AND NOT EXISTS (
       SELECT 1 FROM turn t WHERE t.org_id = m.org_id AND t.id = m.turn_id)
     UNION ALL
     SELECT 'an unlogged message', m.id FROM message m WHERE m.session_id = coalesce($1, m.session_id) AND 1 <> (
       SELECT count(*) FROM event e WHERE e.org_id = m.org_id AND e.session_id = m.session_id
         AND e.type = 'message.received' AND e.data ->> 'messageId' = m.id)`,
    [sessionId],
  );
}
