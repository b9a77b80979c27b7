/** Whose storage: always taken from the sandbox's own identity, never from what a guest says. */
export interface StorageOwner {
  orgId: string;
  agentId: string;
}
