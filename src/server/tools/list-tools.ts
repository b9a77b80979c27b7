import type { ToolManifest } from "../../protocol/manifest";
import type { Ctx } from "../platform/context";
import { requirePermission } from "../platform/verb";
import { type ActiveAgent, loadActiveVersion } from "./active-version";

export type ToolListing = Pick<
  ToolManifest,
  "name" | "description" | "execution" | "inputSchema" | "outputSchema" | "effect" | "needsApproval"
>;

const toListing = ({ file: _file, timeArgs: _time, timeoutMs: _limit, ...rest }: ToolManifest) =>
  rest satisfies ToolListing;

/** The tools of the active version. @throws AppError `forbidden`, `agent_not_deployed`. */
export async function listTools(ctx: Ctx, agent: ActiveAgent): Promise<ToolListing[]> {
  requirePermission(ctx, "agents:read");
  const { manifest } = await loadActiveVersion(ctx.orgId, agent);
  return manifest.tools.map(toListing);
}
