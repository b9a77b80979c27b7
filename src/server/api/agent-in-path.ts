/** The agent that the path names, as the look-up by slugs found it. */
export interface AgentInPath {
  id: string;
  /** As it was created; the path may be written in another case. */
  slug: string;
  kind: string;
  /** `null` before the first deployment is active. */
  activeVersion: number | null;
}
