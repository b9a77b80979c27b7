import { type AgentRecord, listAgents, loadVersion } from "../../server/agents";
import type { Ctx } from "../../server/platform/context";
import { listSessions } from "../../server/sessions";
import type { AgentRow } from "../../ui/agent-list";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Enough to count a day of most agents in one read; more shows as this many. */
const COUNTED = 200;

async function rowOf(ctx: Ctx, agent: AgentRecord, nowMs: number): Promise<AgentRow> {
  const { sessions } = await listSessions(ctx, {
    ...{ agentId: agent.id, everyone: true, limit: COUNTED },
  });
  const since = new Date(nowMs - DAY_MS).toISOString();
  const version = agent.activeVersion;
  const active =
    version === null
      ? undefined
      : await loadVersion({ orgId: ctx.orgId, agentId: agent.id, version });
  return {
    slug: agent.slug,
    name: agent.name,
    kind: agent.kind,
    activeVersion: version,
    description: active?.manifest.description,
    status: version === null ? "new" : "active",
    sessions24h: sessions.filter(({ createdAt }) => createdAt >= since).length,
    lastActivityAt: sessions[0]?.updatedAt,
  };
}

/** The org's agents with what happened to them in the last day. */
export async function agentRows(ctx: Ctx, nowMs: number): Promise<AgentRow[]> {
  const agents = await listAgents(ctx, {});
  return Promise.all(agents.map((agent) => rowOf(ctx, agent, nowMs)));
}
