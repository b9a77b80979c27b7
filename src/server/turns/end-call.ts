import type { NewEvent } from "../../protocol/event";
import { platform } from "../platform/platform";
import { encodeEvents, type Redactor } from "../sessions";
import type { HeldSession } from "./begin-call";

/**
 * Logs how a direct call ended and frees its session for whatever waits behind it.
 * @returns false when the session was lost to somebody else: nothing is logged
 */
export async function endCall(
  held: HeldSession,
  status: "completed" | "failed",
  events: readonly NewEvent[],
  redactor: Redactor,
): Promise<boolean> {
  const { types, data } = encodeEvents(events, redactor);
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ ended: boolean }>({
    name: "end_call",
    text: "SELECT berth_end_call($1, $2, $3, $4, $5, $6, $7) AS ended",
    values: [held.orgId, held.sessionId, held.turnId, held.epoch, status, types, data],
  });
  if (!rows[0]?.ended) return false;
  pubsub.publish("session", held.sessionId);
  pubsub.publish("turn", held.turnId);
  return true;
}
