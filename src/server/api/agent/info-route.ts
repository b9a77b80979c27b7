import { z } from "zod";
import { Manifest } from "../../../protocol/manifest";
import { agentInfo } from "../../tools";
import { route } from "../route";
import { agentUrl } from "./session-links";

export const infoRoute = route({
  method: "GET",
  path: "/{org}/{agent}/v1/info",
  summary: "What the active version consists of",
  tag: "agent",
  auth: "agent",
  answer: {
    status: 200,
    description: "The agent, its version, and its project by kind.",
    schema: z.object({
      ok: z.literal(true),
      org: z.string(),
      agent: z.string(),
      url: z.url(),
      version: z.int(),
      ...Manifest.shape,
    }),
  },
  async handler({ ctx, orgSlug, agent }) {
    const { manifest, version } = await agentInfo(ctx, agent);
    const url = agentUrl(orgSlug, agent.slug);
    return { ok: true, org: orgSlug, agent: agent.slug, url, version, ...manifest };
  },
});
