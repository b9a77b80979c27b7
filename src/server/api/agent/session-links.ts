import { publicUrl } from "../../platform/env";
import { platform } from "../../platform/platform";

/** Absolute addresses of an agent's own pages and API. */
export function agentUrl(orgSlug: string, agentSlug: string): string {
  return `${publicUrl(platform().env)}/${orgSlug}/${agentSlug}`;
}

/** Absolute addresses at which a session can be followed and looked at. */
export function sessionLinks(orgSlug: string, agentSlug: string, sessionId: string) {
  const base = agentUrl(orgSlug, agentSlug);
  return {
    streamUrl: `${base}/v1/session/${sessionId}/stream`,
    traceUrl: `${base}/sessions/${sessionId}`,
    playgroundUrl: `${base}/playground?session=${sessionId}`,
  };
}
