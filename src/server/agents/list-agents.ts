import { z } from "zod";
import { query } from "../platform/verb";
import { AGENT_COLUMNS, toAgentRecord } from "./agent-record";

/**
 * The org's agents by slug, or one of them.
 * A credential for one agent asks for that agent (`ctx.onlyAgentId`); it sees no others.
 */
export const listAgents = query({
  permission: "agents:read",
  scope: "agent",
  input: z.object({ agentId: z.string().optional() }),
  async run({ input, tx }) {
    const rows = await tx.db.agent.findMany({
      where: input.agentId === undefined ? {} : { id: input.agentId },
      select: AGENT_COLUMNS,
      orderBy: { slugKey: "asc" },
    });
    return rows.map(toAgentRecord);
  },
});
