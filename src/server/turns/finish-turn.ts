import type { NewEvent } from "../../protocol/event";
import { encodeJson } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { encodeEvents, type LogOwner } from "../sessions";

export interface TurnEnd {
  status: "completed" | "failed";
  error?: { code: string; message: string };
  /** The turn's last events, `turn.completed` or `turn.failed` at the end. */
  events: NewEvent[];
  /** What the session becomes when no follow-up waits. */
  idle: NewEvent;
  idleStatus: "waiting" | "completed" | "failed";
}

/** The owner's last write, in one statement. @returns false when the turn was fenced. */
export async function finishTurn(owner: LogOwner, end: TurnEnd): Promise<boolean> {
  const events = encodeEvents(end.events, owner.redactor);
  const idle = encodeEvents([end.idle], owner.redactor);
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ finished: boolean }>({
    name: "finish_turn",
    text: `SELECT berth_finish_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS finished`,
    values: [
      owner.orgId,
      owner.sessionId,
      owner.turnId,
      owner.epoch,
      end.status,
      end.error ? encodeJson(owner.redactor.json(end.error)) : null,
      events.types,
      events.data,
      idle.types[0],
      idle.data[0],
      end.idleStatus,
    ],
  });
  if (!rows[0]?.finished) return false;
  pubsub.publish("session", owner.sessionId);
  pubsub.publish("turn", owner.turnId);
  return true;
}
