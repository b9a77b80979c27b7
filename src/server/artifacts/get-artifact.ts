import { z } from "zod";
import { notFound } from "../platform/errors";
import { sqlQuery } from "../platform/verb";
import {
  ARTIFACT_COLUMNS,
  type ArtifactRecord,
  type ArtifactRow,
  IS_KEPT,
  toArtifactRecord,
} from "./artifact-view";

/** One artifact of an agent with its data. @throws AppError `not_found` */
export const getArtifact = sqlQuery({
  permission: "artifacts:read",
  scope: "agent",
  input: z.object({ agentId: z.string(), id: z.string().max(64) }),
  async run({ input, tx }): Promise<ArtifactRecord> {
    const [row] = await tx.sql<ArtifactRow & { data: unknown }>(
      `SELECT ${ARTIFACT_COLUMNS}, data FROM artifact
       WHERE org_id = $1 AND agent_id = $2 AND id = $3 AND ${IS_KEPT}`,
      [tx.orgId, input.agentId, input.id],
    );
    if (!row) throw notFound();
    return toArtifactRecord(row);
  },
});
