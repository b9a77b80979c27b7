import { type AgentVersion, loadVersion } from "../agents";
import { AppError } from "../platform/errors";

export interface ActiveAgent {
  id: string;
  activeVersion: number | null;
}

/** The version an agent runs now. @throws AppError `agent_not_deployed`. */
export async function loadActiveVersion(orgId: string, agent: ActiveAgent): Promise<AgentVersion> {
  if (agent.activeVersion === null) {
    throw new AppError("agent_not_deployed", "This agent has no active version. Run: berth deploy");
  }
  return await loadVersion({ orgId, agentId: agent.id, version: agent.activeVersion });
}
