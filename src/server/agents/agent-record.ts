import { AgentSettings } from "./agent-settings";

/** The columns an agent is shown by. */
export const AGENT_COLUMNS = {
  id: true,
  slug: true,
  name: true,
  kind: true,
  activeVersion: true,
  settings: true,
  createdAt: true,
} as const;

interface AgentRow {
  id: string;
  slug: string;
  name: string;
  kind: string;
  activeVersion: number | null;
  settings: unknown;
  createdAt: Date;
}

/** An agent as its org sees it. */
export interface AgentRecord extends AgentRow {
  settings: AgentSettings;
}

export const toAgentRecord = (row: AgentRow): AgentRecord => ({
  ...row,
  settings: AgentSettings.parse(row.settings),
});
