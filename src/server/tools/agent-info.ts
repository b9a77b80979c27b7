import { type AgentInfo, infoOf } from "../../project/info-of";
import type { Ctx } from "../platform/context";
import { requirePermission } from "../platform/verb";
import { type ActiveAgent, loadActiveVersion } from "./active-version";

/** What the active version offers. @throws AppError `forbidden`, `agent_not_deployed`. */
export async function agentInfo(
  ctx: Ctx,
  agent: ActiveAgent,
): Promise<AgentInfo & { version: number }> {
  requirePermission(ctx, "agents:read");
  const { manifest, version } = await loadActiveVersion(ctx.orgId, agent);
  return { version, ...infoOf(manifest) };
}
