import { z } from "zod";
import { notFound } from "../platform/errors";
import { mutation } from "../platform/verb";
import { AGENT_COLUMNS, toAgentRecord } from "./agent-record";
import { AgentSettings, AgentSettingsChange } from "./agent-settings";

const Change = z.object({
  agentId: z.string(),
  name: z.string().trim().min(1).max(100).optional(),
  settings: AgentSettingsChange.optional(),
});

/** Changes an agent's name and settings; what is not named stays. @throws AppError `not_found` */
export const updateAgent = mutation({
  permission: "agents:update",
  scope: "agent",
  input: Change,
  action: "agent.update",
  async run({ ctx, input, tx }) {
    // The lock makes two changes of different settings add up instead of one undoing the other.
    await tx.sql("SELECT id FROM agent WHERE org_id = $1 AND id = $2 FOR UPDATE", [
      ctx.orgId,
      input.agentId,
    ]);
    const where = { id: input.agentId };
    const row = await tx.db.agent.findFirst({ where, select: AGENT_COLUMNS });
    if (!row) throw notFound();
    const before = toAgentRecord(row);
    const named = Object.entries(input.settings ?? {}).filter(([, value]) => value !== undefined);
    const settings = AgentSettings.parse({ ...before.settings, ...Object.fromEntries(named) });
    const after = { ...before, name: input.name ?? before.name, settings };
    await tx.db.agent.updateMany({ where, data: { name: after.name, settings } });
    return { before, after };
  },
  audit: ({ before, after }) => ({
    entityId: after.id,
    before: { name: before.name, settings: before.settings },
    after: { name: after.name, settings: after.settings },
  }),
});
