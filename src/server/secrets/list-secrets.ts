import { z } from "zod";
import { notFound } from "../platform/errors";
import { query } from "../platform/verb";
import { scopeOf } from "./secret-scope";
import type { SecretReceipt } from "./set-secrets";

export interface ListedSecret extends SecretReceipt {
  setAt: Date;
  setBy: string;
}

/** The secrets of an agent or of the org, by name, without their values. */
export const listSecrets = query({
  permission: "secrets:read",
  scope: "agent",
  input: z.object({ agentId: z.string().optional() }),
  async run({ input: { agentId }, tx }) {
    if (agentId !== undefined && (await tx.db.agent.count({ where: { id: agentId } })) === 0) {
      throw notFound();
    }
    return tx.sql<ListedSecret>(
      `SELECT DISTINCT ON (name) name, version, length, fingerprint,
              created_at AS "setAt", created_by AS "setBy"
       FROM secret WHERE org_id = $1 AND scope = $2 AND deleted_at IS NULL
       ORDER BY name, version DESC`,
      [tx.orgId, scopeOf(agentId)],
    );
  },
});
