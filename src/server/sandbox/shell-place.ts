import type { AgentRef } from "./agent-ref";
import type { WorkspacePlace } from "./workspace-folders";

/** The session a shell is for. */
export interface ShellPlace {
  ref: AgentRef;
  /** Name of its workspace: the session's id. */
  session: string;
  /** Where the agent's workspaces are on this worker. */
  folder: WorkspacePlace;
  egressDomains: string[];
}

/** What two calls must share to be served by one shell; the version of the agent is not in it. */
export const shellKey = ({ ref, session }: ShellPlace, egress: boolean): string =>
  `${ref.orgId}/${ref.agentId}/${session}${egress ? "" : " closed"}`;
