import { platform } from "../platform/platform";
import { OrgSettings } from "../tenancy";
import { AgentSettings } from "./agent-settings";

export interface FoundAgent {
  id: string;
  orgId: string;
  orgSlug: string;
  slug: string;
  kind: string;
  /** `null` until a version was activated. */
  activeVersion: number | null;
  settings: AgentSettings;
  orgSettings: OrgSettings;
}

interface AgentRow {
  org_id: string;
  org_slug: string;
  org_settings: unknown;
  agent_id: string | null;
  agent_slug: string;
  agent_kind: string;
  active_version: number | null;
  agent_settings: unknown;
}

/** The agent at `/{org}/{agent}`, whoever asks: the caller's membership is checked by `ctxForCaller`. */
export async function findAgent(
  orgSlug: string,
  agentSlug: string,
): Promise<FoundAgent | undefined> {
  const { rows } = await platform().pool.query<AgentRow>({
    name: "berth_agent_by_slug",
    text: "SELECT * FROM berth_agent_by_slug($1, $2)",
    values: [orgSlug, agentSlug],
  });
  const row = rows[0];
  if (!row?.agent_id) return undefined;
  return {
    id: row.agent_id,
    orgId: row.org_id,
    orgSlug: row.org_slug,
    slug: row.agent_slug,
    kind: row.agent_kind,
    activeVersion: row.active_version,
    settings: AgentSettings.parse(row.agent_settings),
    orgSettings: OrgSettings.parse(row.org_settings),
  };
}
