import { z } from "zod";
import type { DeploymentView } from "../../protocol/build-log";
import { Manifest } from "../../protocol/manifest";
import { notFound } from "../platform/errors";
import { decodeValue } from "../platform/json-safety";
import { sqlQuery } from "../platform/verb";
import { DEPLOYMENT_COLUMNS, type DeploymentRow, toDeploymentView } from "./deployment-view";

export interface DeploymentDetail extends DeploymentView {
  /** `null` for versions that were not described. */
  manifest: Manifest | null;
}

/** One version of an agent. @throws AppError `not_found`. */
export const getDeployment = sqlQuery({
  permission: "deployments:read",
  scope: "agent",
  input: z.object({ agentId: z.string(), version: z.number().int().positive() }),
  async run({ input, tx }): Promise<DeploymentDetail> {
    const [row] = await tx.sql<DeploymentRow & { manifest: unknown }>(
      `SELECT ${DEPLOYMENT_COLUMNS}, d.manifest FROM deployment d
       JOIN agent a ON a.org_id = d.org_id AND a.id = d.agent_id
       WHERE d.org_id = $1 AND d.agent_id = $2 AND d.version = $3`,
      [tx.orgId, input.agentId, input.version],
    );
    if (!row) throw notFound();
    const manifest = row.manifest ? Manifest.parse(decodeValue(row.manifest)) : null;
    return { ...toDeploymentView(row), manifest };
  },
});
