import { platform } from "../platform/platform";
import { type Claim, LEASE } from "./claim-turns";

/**
 * Renews the leases of the turns a worker runs, or of the session a direct call holds.
 * @returns those that are no longer its own.
 */
export async function renewLeases<Held extends Pick<Claim, "orgId" | "turnId" | "epoch">>(
  workerId: string,
  held: readonly Held[],
): Promise<Held[]> {
  if (held.length === 0) return [];
  const { rows } = await platform().pool.query<{ turn_id: string; epoch: number }>({
    name: "renew_leases",
    text: "SELECT turn_id, epoch FROM berth_renew_leases($1, $2, $3, $4, $5)",
    values: [
      workerId,
      held.map((claim) => claim.orgId),
      held.map((claim) => claim.turnId),
      held.map((claim) => claim.epoch),
      LEASE,
    ],
  });
  const kept = new Set(rows.map((row) => `${row.turn_id} ${row.epoch}`));
  return held.filter((claim) => !kept.has(`${claim.turnId} ${claim.epoch}`));
}
