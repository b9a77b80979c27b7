import { z } from "zod";
import {
  AgentSettings,
  AgentSettingsChange,
  getAgent,
  listAgents,
  updateAgent,
} from "../../agents";
import { route } from "../route";
import { listOf, wholeList } from "./list-of";

const BASE = "/api/v1/orgs/{org}/agents";
const tag = "agents";

const Agent = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  kind: z.string().describe("live or dev"),
  activeVersion: z.int().nullable(),
  settings: AgentSettings,
  createdAt: z.string(),
});
const OneAgent = Agent.extend({ ok: z.literal(true) });

const list = route({
  method: "GET",
  path: BASE,
  summary: "The org's agents",
  tag,
  auth: "org",
  answer: { status: 200, description: "All of them, by slug.", schema: listOf("agents", Agent) },
  async handler({ ctx }) {
    return wholeList("agents", await listAgents(ctx, { agentId: ctx.onlyAgentId }));
  },
});

const get = route({
  method: "GET",
  path: `${BASE}/{agent}`,
  summary: "One agent",
  tag,
  auth: "agent",
  answer: { status: 200, description: "The agent.", schema: OneAgent },
  async handler({ ctx, agent }) {
    return { ok: true, ...(await getAgent(ctx, { agentId: agent.id })) };
  },
});

const update = route({
  method: "PATCH",
  path: `${BASE}/{agent}`,
  summary: "Change an agent's name or settings; what is not named stays",
  tag,
  auth: "agent",
  body: z.object({
    name: z.string().trim().min(1).max(100).optional(),
    settings: AgentSettingsChange.optional(),
  }),
  answer: { status: 200, description: "The agent after the change.", schema: OneAgent },
  async handler({ ctx, agent, body }) {
    const { after } = await updateAgent(ctx, { agentId: agent.id, ...body });
    return { ok: true, ...after };
  },
});

export const agentRecordRoutes = [list, get, update];
