import { z } from "zod";
import { agentInfo } from "../../tools";
import { route } from "../route";
import { agentUrl } from "./session-links";

const List = z.array(z.record(z.string(), z.unknown()));

export const infoRoute = route({
  method: "GET",
  path: "/{org}/{agent}/v1/info",
  summary: "What the active version offers",
  tag: "agent",
  auth: "agent",
  answer: {
    status: 200,
    description: "The agent, its version, and its project by kind.",
    schema: z.looseObject({
      ok: z.literal(true),
      org: z.string(),
      slug: z.string(),
      url: z.url(),
      version: z.int(),
      agent: z.record(z.string(), z.unknown()),
      tools: List,
      channels: List,
      schedules: List,
      reminders: List,
      skills: List,
      subagents: List,
      connections: List,
      extensions: List,
      hooks: List,
      evals: List,
    }),
  },
  async handler({ ctx, orgSlug, agent }) {
    const info = await agentInfo(ctx, agent);
    const { slug } = agent;
    return { ok: true, org: orgSlug, slug, url: agentUrl(orgSlug, slug), ...info };
  },
});
