import { platform } from "../platform/platform";
import type { Claim } from "./claim-turns";

/**
 * Hands a running turn back to the queue when its worker drains: its next attempt goes on from its
 * last finished step. @returns false if it was fenced
 */
export async function releaseTurn(claim: Claim): Promise<boolean> {
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ released: boolean }>({
    name: "release_turn",
    text: "SELECT berth_release_turn($1, $2, $3, $4) AS released",
    values: [claim.orgId, claim.sessionId, claim.turnId, claim.epoch],
  });
  pubsub.publish("turn", claim.turnId);
  return rows[0]?.released ?? false;
}
