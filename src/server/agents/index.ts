/**
 * Owns agents: their slugs, settings, version numbers, and which version is active; and the
 * finished versions, read once and kept in memory.
 * Never builds anything (deployments do) and never runs anything.
 */
export { activateVersion } from "./activate-version";
export type { AgentRecord } from "./agent-record";
export { AgentSettings, AgentSettingsChange, RETENTION_DAYS } from "./agent-settings";
export { allocateVersion } from "./allocate-version";
export { createAgent } from "./create-agent";
export { type FoundAgent, findAgent } from "./find-agent";
export { getAgent } from "./get-agent";
export { listAgents } from "./list-agents";
export { type AgentVersion, loadVersion } from "./load-version";
export { updateAgent } from "./update-agent";
