import { readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { now } from "../platform/platform";
import { withSqlTransaction } from "../platform/transaction";
import type { WorkspaceFolders } from "../sandbox";
import { Folder } from "./folder";
import { removeNotes } from "./notes";
import { isHeld } from "./open-workspace";
import type { Folders } from "./workspace-tree";

/** The workspaces that a worker has on its disk. */
export interface LocalWorkspaces {
  /** Holds a folder per org, and in it one per agent. */
  dir: string;
  /** Those that the worker's guests use. */
  folders: WorkspaceFolders;
  /** What opens them on this worker. */
  sandboxes: Folders;
}

interface LocalAgent {
  orgId: string;
  root: string;
  sessions: string[];
}

/** Saved workspaces that nobody opened for so long make room on this worker. */
const IDLE_MS = 24 * 60 * 60_000;
const SESSION = /^(?<id>ses_[A-Za-z0-9]+)(?:\.json)?$/;

/**
 * Removes from this worker's disk what sessions left that are no more, and copies of workspaces
 * that were not used for a day: they are saved. @returns how many it removed
 */
export async function sweepWorkspaces(local: LocalWorkspaces): Promise<number> {
  let removed = 0;
  for (const agent of await localAgents(local.dir)) {
    const existing = await existingSessions(agent);
    for (const id of agent.sessions) {
      if (!existing.has(id)) await removeLocal(local, agent.root, id);
      else if (!(await isIdle(agent.root, id)) || !(await emptyLocal(local, agent.root, id)))
        continue;
      removed += 1;
    }
  }
  return removed;
}

/** Removes what one session has on this worker's disk. */
export async function eraseLocalWorkspace(
  local: LocalWorkspaces,
  sessionId: string,
): Promise<void> {
  for (const { root, sessions } of await localAgents(local.dir)) {
    if (sessions.includes(sessionId)) await removeLocal(local, root, sessionId);
  }
}

const entriesOf = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
    return [];
  });

async function localAgents(dir: string): Promise<LocalAgent[]> {
  const agents: LocalAgent[] = [];
  for (const orgId of await entriesOf(dir)) {
    for (const agentId of await entriesOf(join(dir, orgId))) {
      const root = join(dir, orgId, agentId);
      const places = ["parked", "notes", "live", join("live", "agent")];
      const names = await Promise.all(places.map((place) => entriesOf(join(root, place))));
      const ids = names.flat().flatMap((name) => SESSION.exec(name)?.groups?.id ?? []);
      agents.push({ orgId, root, sessions: [...new Set(ids)] });
    }
  }
  return agents;
}

async function existingSessions({ orgId, sessions }: LocalAgent): Promise<Set<string>> {
  const rows = await withSqlTransaction(orgId, ({ sql }) =>
    sql<{ id: string }>("SELECT id FROM session WHERE org_id = $1 AND id = ANY ($2)", [
      orgId,
      sessions,
    ]),
  );
  return new Set(rows.map(({ id }) => id));
}

const notesOf = (root: string, id: string): string => join(root, "notes", `${id}.json`);

/** A session with a process of its own has a folder of its own around the workspace. */
async function mountedOf(root: string, id: string): Promise<string> {
  return (await entriesOf(join(root, "live"))).includes(id) ? id : "agent";
}

async function removeLocal({ folders }: LocalWorkspaces, root: string, id: string): Promise<void> {
  const mounted = await mountedOf(root, id);
  await folders.remove({ root, mounted }, id);
  await removeNotes(notesOf(root, id));
  if (mounted === "agent") return;
  await rmdir(join(root, "live", id)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EBUSY") throw error;
  });
}

async function isIdle(root: string, id: string): Promise<boolean> {
  const times = await Promise.all(
    [notesOf(root, id), join(root, "parked", id)].map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const usedMs = Math.max(...times);
  return usedMs > 0 && now().getTime() - usedMs > IDLE_MS;
}

/** Empties an idle session's folder. @returns false when somebody has it after all */
async function emptyLocal(
  { folders, sandboxes }: LocalWorkspaces,
  root: string,
  id: string,
): Promise<boolean> {
  const parked = join(root, "parked", id);
  const mounted = await mountedOf(root, id);
  return await folders.hold({ root, mounted }, id, async (path) => {
    if (path !== parked || isHeld(sandboxes, id)) return false;
    await removeNotes(notesOf(root, id));
    await (await Folder.open(join(root, "parked"))).use((folder) => folder.remove(id));
    return true;
  });
}
