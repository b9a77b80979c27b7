import type { SandboxLimits } from "./limits";

/** One built version of one agent. */
export interface AgentRef {
  orgId: string;
  agentId: string;
  version: number;
}

/** What it takes to run a version: answered by whoever keeps bundles and secrets. */
export interface AgentSpec {
  /** Folder that holds `bundle.mjs`, readable by other users of the machine. */
  bundleDir: string;
  env: Record<string, string>;
  /** Changes with every change of a secret delivered in `env`. */
  secretsRevision: string;
  egressDomains: string[];
  isolation: "agent" | "session";
  /** Folder of the agent's workspaces, used by this worker alone. */
  workspaceRoot: string;
  stateDir: string;
  /** Where this version departs from the worker's limits. */
  limits?: Partial<SandboxLimits>;
}

export const refKey = ({ orgId, agentId, version }: AgentRef): string =>
  `${orgId}/${agentId}/${version}`;

/** Whose files an agent's are: its processes and its sessions' shells share a user. */
export const ownerOf = ({ orgId, agentId }: AgentRef): string => `${orgId}/${agentId}`;
