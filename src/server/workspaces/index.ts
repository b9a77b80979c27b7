/**
 * Owns the workspaces of sessions and the states of agents: what a version, messages and calls put
 * into them, bringing a worker's folder to what is saved, and finding what changed, so that it is
 * saved with the result of the call. Keeps no folder of its own: the sandbox has them. Never
 * follows a link in one. Rows of a workspace are written by whoever owns the session.
 */
export { AgentStates } from "./agent-states";
export { invokeInSession } from "./invoke-in-session";
export { openWorkspace } from "./open-workspace";
export type { SessionWorkspace, ToSave, WorkspaceSpec } from "./session-workspace";
export { eraseLocalWorkspace, type LocalWorkspaces, sweepWorkspaces } from "./sweep-workspaces";
