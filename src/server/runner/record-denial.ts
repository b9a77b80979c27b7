import { withSqlTransaction } from "../platform/transaction";

interface Denial {
  host: string;
  port: number;
  reason: string;
}

/** Notes a host that an agent's code was refused, for its page. */
export const recordDenial = (
  { orgId, agentId }: { orgId: string; agentId: string },
  { host, port, reason }: Denial,
): Promise<void> =>
  withSqlTransaction(orgId, async ({ sql }) => {
    await sql(
      `INSERT INTO egress_denial (org_id, agent_id, host, port, reason) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (org_id, agent_id, host, port) DO UPDATE
       SET count = egress_denial.count + 1, last_at = now(), reason = excluded.reason`,
      [orgId, agentId, host.slice(0, 253), port, reason.slice(0, 500)],
    );
  });
