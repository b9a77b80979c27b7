import { platform } from "../platform/platform";

const BATCH = 200;
const REASON = "Nobody decided in time.";

interface Expired {
  session_id: string;
  turn_id: string;
}

/**
 * Denies approvals whose time ran out, of all orgs, and wakes whoever goes on. Any number of
 * workers may do so at once. @returns how many it denied.
 */
export async function expireApprovals(): Promise<number> {
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<Expired>({
    name: "expire_approvals",
    text: "SELECT session_id, turn_id FROM berth_expire_approvals($1, $2)",
    values: [BATCH, REASON],
  });
  for (const row of rows) {
    pubsub.publish("session", row.session_id);
    pubsub.publish("turn", row.turn_id);
  }
  return rows.length;
}
