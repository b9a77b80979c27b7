import { z } from "zod";
import type { DeploymentView } from "../../protocol/build-log";
import { sqlQuery } from "../platform/verb";
import { DEPLOYMENT_COLUMNS, type DeploymentRow, toDeploymentView } from "./deployment-view";

export interface DeploymentPage {
  deployments: DeploymentView[];
  nextCursor: string | null;
}

/** Versions of an agent, newest first; the cursor is the last version of the page before. */
export const listDeployments = sqlQuery({
  permission: "deployments:read",
  scope: "agent",
  input: z.object({
    agentId: z.string(),
    limit: z.number().int().min(1).max(200).default(50),
    cursor: z.coerce
      .number()
      .int()
      .positive()
      .max(2 ** 31 - 1)
      .optional(),
  }),
  async run({ input, tx }): Promise<DeploymentPage> {
    const rows = await tx.sql<DeploymentRow>(
      `SELECT ${DEPLOYMENT_COLUMNS} FROM deployment d
       JOIN agent a ON a.org_id = d.org_id AND a.id = d.agent_id
       WHERE d.org_id = $1 AND d.agent_id = $2 AND ($3::int IS NULL OR d.version < $3)
       ORDER BY d.version DESC LIMIT $4`,
      [tx.orgId, input.agentId, input.cursor ?? null, input.limit + 1],
    );
    const deployments = rows.slice(0, input.limit).map(toDeploymentView);
    const last = rows.length > input.limit ? deployments.at(-1) : undefined;
    return { deployments, nextCursor: last ? String(last.version) : null };
  },
});
