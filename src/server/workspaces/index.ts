/**
 * Owns the workspaces of sessions and the states of agents: what a version, messages and calls put into them, bringing a
 * worker's folder to what is saved, and finding what changed so that it is saved together with the
 * result of the call. Keeps no folder of its own: the sandbox has them. Never follows a link in
 * one, and never writes rows itself: whoever owns the session does, fenced by its epoch.
 */
export { AgentStates } from "./agent-states";
export { invokeInSession } from "./invoke-in-session";
export { openWorkspace } from "./open-workspace";
export type {
  SessionWorkspace,
  ToSave,
  WorkspaceChanges,
  WorkspaceSpec,
} from "./session-workspace";
export { eraseLocalWorkspace, type LocalWorkspaces, sweepWorkspaces } from "./sweep-workspaces";
