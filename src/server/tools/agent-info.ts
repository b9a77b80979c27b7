import type { AgentVersion } from "../agents";
import type { Ctx } from "../platform/context";
import { requirePermission } from "../platform/verb";
import { type ActiveAgent, loadActiveVersion } from "./active-version";

/** The active version with its manifest. @throws AppError `forbidden`, `agent_not_deployed`. */
export async function agentInfo(ctx: Ctx, agent: ActiveAgent): Promise<AgentVersion> {
  requirePermission(ctx, "agents:read");
  return await loadActiveVersion(ctx.orgId, agent);
}
