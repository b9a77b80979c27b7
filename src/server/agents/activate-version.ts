import { z } from "zod";
import { notFound } from "../platform/errors";
import { mutation } from "../platform/verb";
import { versionNotReady } from "./load-version";

/**
 * Makes a version the one that the next turn runs.
 * @throws AppError `not_found`, `version_not_ready`
 */
export const activateVersion = mutation({
  permission: "deployments:write",
  scope: "agent",
  input: z.object({ agentId: z.string(), version: z.number().int().positive() }),
  action: "deployment.activate",
  async run({ ctx, input, tx }) {
    const { agentId, version } = input;
    const [agent] = await tx.sql<{ active: number | null }>(
      "SELECT active_version AS active FROM agent WHERE org_id = $1 AND id = $2 FOR UPDATE",
      [ctx.orgId, agentId],
    );
    const deployment = await tx.db.deployment.findFirst({
      where: { agentId, version },
      select: { status: true, bundleSha: true },
    });
    if (!agent || !deployment) throw notFound();
    if (!deployment.bundleSha) throw versionNotReady(version, deployment.status);
    await tx.db.agent.updateMany({ where: { id: agentId }, data: { activeVersion: version } });
    return { previous: agent.active, version };
  },
  audit: ({ previous, version }, { agentId }) => ({
    entityId: agentId,
    before: { version: previous },
    after: { version },
  }),
});
