import { withSqlTransaction } from "../platform/transaction";

/** The agent whose state it is. */
export interface StateOwner {
  orgId: string;
  agentId: string;
}

export interface StateLease {
  /** Rises with every saved change; 0 while nothing was ever saved. */
  revision: number;
  /** Another worker waits for it. */
  wanted: boolean;
}

const LEASE = "10 seconds";
/** Who waits says so again and again; who stopped saying so waits no more. */
const WANTED = "2 seconds";

/** Takes or renews the right to write an agent's state. @returns undefined while another worker has it */
export async function claimState(
  { orgId, agentId }: StateOwner,
  workerId: string,
): Promise<StateLease | undefined> {
  const [lease] = await withSqlTransaction(orgId, ({ sql }) =>
    sql<StateLease>(
      `UPDATE agent SET state_worker = $3, state_lease_until = clock_timestamp() + $4::interval,
         state_wanted_by = nullif(state_wanted_by, $3)
       WHERE org_id = $1 AND id = $2 AND (state_worker IS NULL OR state_worker = $3
         OR state_lease_until < clock_timestamp())
       RETURNING state_revision AS revision, state_wanted_by IS NOT NULL
         AND state_wanted_at > clock_timestamp() - $5::interval AS wanted`,
      [orgId, agentId, workerId, LEASE, WANTED],
    ),
  );
  return lease;
}

/** Says that a worker waits for the state; the first that does is the next to have it. */
export async function wantState({ orgId, agentId }: StateOwner, workerId: string): Promise<void> {
  await withSqlTransaction(orgId, ({ sql }) =>
    sql(
      `UPDATE agent SET state_wanted_by = $3, state_wanted_at = clock_timestamp()
       WHERE org_id = $1 AND id = $2 AND (state_wanted_by IS NULL OR state_wanted_by = $3
         OR state_wanted_at < clock_timestamp() - $4::interval)`,
      [orgId, agentId, workerId, WANTED],
    ),
  );
}

/** Gives the state up, to the worker that waits for it if there is one. */
export async function releaseState(
  { orgId, agentId }: StateOwner,
  workerId: string,
): Promise<void> {
  await withSqlTransaction(orgId, ({ sql }) =>
    sql(
      `UPDATE agent SET state_worker = state_wanted_by,
         state_lease_until = clock_timestamp() + $4::interval
       WHERE org_id = $1 AND id = $2 AND state_worker = $3`,
      [orgId, agentId, workerId, WANTED],
    ),
  );
}
