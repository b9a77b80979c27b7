import { z } from "zod";
import { notFound } from "../platform/errors";
import { query } from "../platform/verb";
import { AGENT_COLUMNS, toAgentRecord } from "./agent-record";

/** One agent. @throws AppError `not_found` */
export const getAgent = query({
  permission: "agents:read",
  scope: "agent",
  input: z.object({ agentId: z.string() }),
  async run({ input, tx }) {
    const row = await tx.db.agent.findFirst({
      where: { id: input.agentId },
      select: AGENT_COLUMNS,
    });
    if (!row) throw notFound();
    return toAgentRecord(row);
  },
});
