/** One built version of one agent. */
export interface VersionRef {
  orgId: string;
  agentId: string;
  version: number;
}
