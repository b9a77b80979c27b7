import { platform } from "../platform/platform";

export const MAX_ATTEMPTS = 3;

const EXHAUSTED = JSON.stringify({
  code: "attempts_exhausted",
  message: `The turn's worker was lost ${MAX_ATTEMPTS} times.`,
});

interface Swept {
  session_id: string;
  turn_id: string;
  requeued: boolean;
}

/** How long a turn may wait before its log says so, where nobody foresaw it. */
const TELL_AFTER = "1 second";
const TELL_AT_ONCE = 200;

/**
 * Puts turns of lost workers back in line, or fails them after three attempts, and wakes whoever
 * can go on; tells turns that wait that they do. Any number of workers may sweep at once.
 * @returns how many turns it moved.
 */
export async function sweepTurns(): Promise<number> {
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<Swept>({
    name: "sweep_turns",
    text: "SELECT session_id, turn_id, requeued FROM berth_sweep_turns($1, $2::jsonb)",
    values: [MAX_ATTEMPTS, EXHAUSTED],
  });
  for (const row of rows) {
    pubsub.publish("cancel", row.turn_id);
    pubsub.publish("turn", row.turn_id);
    if (!row.requeued) pubsub.publish("session", row.session_id);
  }
  await tellWaiting();
  return rows.length;
}

async function tellWaiting(): Promise<void> {
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ session_id: string }>({
    name: "tell_waiting",
    text: "SELECT session_id FROM berth_tell_waiting($1, $2)",
    values: [TELL_AFTER, TELL_AT_ONCE],
  });
  for (const row of rows) pubsub.publish("session", row.session_id);
}
