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

/**
 * Puts turns of lost workers back in line, or fails them after three attempts, and wakes whoever
 * can go on. Any number of workers may sweep at once. @returns how many turns it moved.
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
  return rows.length;
}
