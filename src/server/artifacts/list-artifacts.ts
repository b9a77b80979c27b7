import { z } from "zod";
import { encodeText } from "../platform/json-safety";
import { sqlQuery } from "../platform/verb";
import {
  ARTIFACT_COLUMNS,
  type ArtifactRow,
  type ArtifactView,
  IS_KEPT,
  toArtifactView,
} from "./artifact-view";

export interface ArtifactPage {
  artifacts: ArtifactView[];
  nextCursor: string | null;
}

/** An agent's artifacts, newest first, without their data. */
export const listArtifacts = sqlQuery({
  permission: "artifacts:read",
  scope: "agent",
  input: z.object({
    agentId: z.string(),
    kind: z.string().max(128).optional(),
    session: z.string().max(64).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    /** The `nextCursor` of the page before. */
    cursor: z.string().max(64).optional(),
  }),
  async run({ input, tx }): Promise<ArtifactPage> {
    const rows = await tx.sql<ArtifactRow>(
      `SELECT ${ARTIFACT_COLUMNS} FROM artifact
       WHERE org_id = $1 AND agent_id = $2 AND ${IS_KEPT}
         AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR session_id = $4)
         AND ($5::text IS NULL OR created_at < (
           SELECT created_at FROM artifact WHERE org_id = $1 AND agent_id = $2 AND id = $5))
       ORDER BY created_at DESC LIMIT $6`,
      [
        tx.orgId,
        input.agentId,
        input.kind === undefined ? null : encodeText(input.kind),
        input.session ?? null,
        input.cursor ?? null,
        input.limit + 1,
      ],
    );
    const artifacts = rows.slice(0, input.limit).map(toArtifactView);
    const more = rows.length > input.limit;
    return { artifacts, nextCursor: more ? (artifacts.at(-1)?.id ?? null) : null };
  },
});
