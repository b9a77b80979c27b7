import { SessionWorkspace, type WorkspaceSpec } from "./session-workspace";
import type { Folders } from "./workspace-tree";

/** Who works in which session's folder now, by what gives the folders: one per worker. */
const holders = new WeakMap<Folders, Map<string, SessionWorkspace>>();

function holdersOf(folders: Folders): Map<string, SessionWorkspace> {
  const known = holders.get(folders) ?? new Map<string, SessionWorkspace>();
  holders.set(folders, known);
  return known;
}

/**
 * A session's workspace for whoever owns the session: a turn, or a direct call that holds it. It
 * takes the folder from an owner that lost the session. Nothing happens before `ready`; `close`
 * must follow.
 */
export function openWorkspace(spec: WorkspaceSpec, folders: Folders): SessionWorkspace {
  const held = holdersOf(folders);
  const { sessionId } = spec;
  const workspace: SessionWorkspace = new SessionWorkspace(
    spec,
    folders,
    () => held.get(sessionId) === workspace,
    () => {
      if (held.get(sessionId) === workspace) held.delete(sessionId);
    },
  );
  held.set(sessionId, workspace);
  return workspace;
}

/**
 * Prepares a session's workspace for a call that only reads and owns nothing: the folder as its
 * owner has it now, where that is on this worker; else what is saved.
 */
export async function showWorkspace(spec: WorkspaceSpec, folders: Folders): Promise<void> {
  const held = holdersOf(folders);
  const owner = held.get(spec.sessionId);
  if (owner) return await owner.ready();
  const isFree = () => !held.has(spec.sessionId);
  // Of a dry run, it is the turn that removes the folder.
  const shown = new SessionWorkspace({ ...spec, dryRun: false }, folders, isFree, () => undefined);
  await shown.ready();
  await shown.close();
}

/** Whether a turn or a direct call on this worker holds a session's workspace. */
export const isHeld = (folders: Folders, sessionId: string): boolean =>
  holdersOf(folders).has(sessionId);
