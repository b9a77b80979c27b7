import { platform } from "../platform/platform";

/** A turn that this worker owns until its lease ends. */
export interface Claim {
  orgId: string;
  turnId: string;
  sessionId: string;
  agentId: string;
  /** Null when the agent lost its active version while the turn waited. */
  version: number | null;
  attempt: number;
  /** Whether `turn.started` of this attempt is in the log: the turn comes back from being parked. */
  announced: boolean;
  /** Wall time of the stretches it ran before. */
  wallMs: number;
  epoch: number;
  channel: string;
  mode: "chat" | "task";
  /** Whose messages the turn answers. */
  principal: string;
  /** Whose the session is. */
  owner: string;
  dryRun: boolean;
  asOf: Date | null;
  messageIds: string[];
}

export const LEASE = "10 seconds";

/** Takes up to `slots` turns that are ready, in fair order, for a worker. */
export async function claimTurns(workerId: string, slots: number): Promise<Claim[]> {
  const { rows } = await platform().pool.query<Claim>({
    name: "claim_turns",
    text: `SELECT org_id AS "orgId", turn_id AS "turnId", session_id AS "sessionId",
        agent_id AS "agentId", version, attempt, announced, wall_ms::float8 AS "wallMs",
        epoch, channel, mode, principal, owner, dry_run AS "dryRun", as_of AS "asOf",
        message_ids AS "messageIds"
      FROM berth_claim_turns($1, $2, $3, $4)`,
    values: [workerId, slots, LEASE, platform().env.BERTH_ORG_SHARE],
  });
  return rows;
}
