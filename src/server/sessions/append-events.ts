import type { EventType, NewEvent } from "../../protocol/event";
import { platform } from "../platform/platform";
import { encodeEvents } from "./encode-events";
import type { LogOwner } from "./log-owner";
import type { Redactor } from "./redactor";

/** `fenced`: the turn has another owner or ended; nothing was written. */
export type Appended = { fenced: false; firstIndex: number } | { fenced: true };

const OUTSIDER_TYPES = [
  "session.started",
  "message.received",
  "turn.queued",
  "action.approval_resolved",
  "actions.requested",
  "action.result",
  "action.tool_retry",
  "actions.completed",
  "artifact.tagged",
] as const satisfies readonly EventType[];

/** Events that may be appended without owning a turn. */
export type OutsiderEvent = Extract<NewEvent, { type: (typeof OUTSIDER_TYPES)[number] }>;

/** Appends what a running turn did, only while it owns the session. Durable when it resolves. */
export const appendAsOwner = (owner: LogOwner, events: readonly NewEvent[]): Promise<Appended> =>
  append(owner.orgId, owner.sessionId, owner.epoch, owner.turnId, events, owner.redactor);

/**
 * Appends what needs no lease; `turnId` is that of a direct call. `fenced` here means that the
 * session is gone.
 */
export const appendAsOutsider = (
  orgId: string,
  sessionId: string,
  events: readonly OutsiderEvent[],
  redactor: Redactor,
  turnId: string | null = null,
): Promise<Appended> => append(orgId, sessionId, null, turnId, events, redactor);

async function append(
  orgId: string,
  sessionId: string,
  epoch: number | null,
  turnId: string | null,
  events: readonly NewEvent[],
  redactor: Redactor,
): Promise<Appended> {
  const { types, data } = encodeEvents(events, redactor);
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ first: number | null }>({
    name: "append_events",
    text: "SELECT berth_append_events($1, $2, $3, $4, $5, $6) AS first",
    values: [orgId, sessionId, epoch, turnId, types, data],
  });
  const first = rows[0]?.first ?? null;
  if (first === null) return { fenced: true };
  pubsub.publish("session", sessionId);
  return { fenced: false, firstIndex: first };
}
