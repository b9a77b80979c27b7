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
  epoch: number;
  channel: string;
  mode: "chat" | "task";
  principal: string;
  messageIds: string[];
}

export const LEASE = "10 seconds";

/** Takes up to `slots` queued turns, in fair order, for a worker. */
export async function claimTurns(workerId: string, slots: number): Promise<Claim[]> {
  const { rows } = await platform().pool.query<Claim>({
    name: "claim_turns",
    text: `SELECT org_id AS "orgId", turn_id AS "turnId", session_id AS "sessionId",
        agent_id AS "agentId", version, attempt, epoch, channel, mode, principal,
        message_ids AS "messageIds"
      FROM berth_claim_turns($1, $2, $3)`,
    values: [workerId, slots, LEASE],
  });
  return rows;
}
