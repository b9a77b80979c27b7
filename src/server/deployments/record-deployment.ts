import { z } from "zod";
import { allocateVersion } from "../agents";
import { enqueue } from "../jobs";
import { actorKey } from "../platform/context";
import { newId } from "../platform/id";
import { encodeText } from "../platform/json-safety";
import { sqlMutation } from "../platform/verb";
import { announce } from "./build-lease";

/** Notes an uploaded source as the agent's next version and has it built. */
export const recordDeployment = sqlMutation({
  permission: "deployments:write",
  scope: "agent",
  action: "deployment.create",
  input: z.object({
    agentId: z.string(),
    sourceSha: z.string(),
    message: z.string().max(500).optional(),
    activate: z.boolean().default(true),
  }),
  async run({ ctx, input, tx }) {
    const { agentId, sourceSha, message, activate } = input;
    const id = newId("dep");
    const version = await allocateVersion(tx, agentId);
    await tx.sql(
      `INSERT INTO deployment (org_id, agent_id, version, id, source_sha, activate, message, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        ctx.orgId,
        agentId,
        version,
        id,
        sourceSha,
        activate,
        message === undefined ? null : encodeText(message),
        actorKey(ctx.actor),
      ],
    );
    announce(tx, { agentId, version });
    tx.afterCommit(() => enqueue("deployment.build", { orgId: ctx.orgId, agentId, version }));
    return { id, agentId, version };
  },
  audit: ({ id, version }, { agentId, sourceSha }) => ({
    entityId: id,
    after: { agentId, version, sourceSha },
  }),
});
