import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { removeHolder } from "../../../src/server/blobs";
import {
  eraseLocalWorkspace,
  type LocalWorkspaces,
  sweepWorkspaces,
} from "../../../src/server/workspaces";
import { type TestWorker, WorkspaceWorld } from "../../support/workspace-world";

const MARKER = "marker-of-a-workspace";
const DAY_MS = 24 * 60 * 60_000;

let world: WorkspaceWorld;
let worker: TestWorker;
let local: LocalWorkspaces;

beforeAll(async () => {
  world = await WorkspaceWorld.start();
  worker = world.worker("only");
  local = { dir: worker.dir, folders: worker.folders, sandboxes: worker.sandboxes };
});
afterAll(async () => {
  await worker.sandboxes.close();
  await world.stop();
});

async function savedSession(): Promise<string> {
  const sessionId = await world.session();
  const workspace = await world.open(worker, sessionId);
  await worker.inFolder(sessionId, (path) => writeFile(join(path, "file"), MARKER));
  await world.save(workspace, sessionId);
  await workspace.close();
  return sessionId;
}

const deleteSession = (sessionId: string) =>
  world.platform.sql("DELETE FROM session WHERE id = $1", [sessionId]);

const pathsOf = async (sessionId: string): Promise<string[]> => {
  const all = await readdir(world.folder, { recursive: true });
  return all.filter((path) => path.includes(sessionId));
};

/** Makes a workspace look as if nobody had used it for so long. */
async function age(sessionId: string, ms: number): Promise<void> {
  const at = new Date(Date.now() - ms);
  const root = join(worker.dir, world.agent.orgId, world.agent.agentId);
  await utimes(join(root, "notes", `${sessionId}.json`), at, at);
  await utimes(join(root, "parked", sessionId), at, at);
}

test("of an erased session nothing is left: rows, bytes, folder and notes", async () => {
  const erased = await savedSession();
  const kept = await savedSession();
  expect(await pathsOf(erased)).not.toEqual([]);
  await deleteSession(erased);
  await removeHolder(world.agent.orgId, erased);
  await eraseLocalWorkspace(local, erased);
  expect(await pathsOf(erased)).toEqual([]);
  expect(await world.rows(erased)).toEqual([]);
  expect(await worker.list(kept)).toEqual({ file: MARKER });
});

test("a worker that was not told of an erasure finds out by itself", async () => {
  const erased = await savedSession();
  await deleteSession(erased);
  await removeHolder(world.agent.orgId, erased);
  expect(await sweepWorkspaces(local)).toBe(1);
  expect(await pathsOf(erased)).toEqual([]);
});

test("a copy that was not used for a day goes, and comes back when it is needed", async () => {
  const idle = await savedSession();
  const used = await savedSession();
  await age(idle, DAY_MS + 60_000);
  await age(used, DAY_MS - 60_000);
  expect(await sweepWorkspaces(local)).toBe(1);
  expect(await worker.list(used)).toEqual({ file: MARKER });
  expect(await worker.list(idle)).toEqual({});
  await (await world.open(worker, idle)).close();
  expect(await worker.list(idle)).toEqual({ file: MARKER });
});

test("a workspace that a turn holds is not swept, however old", async () => {
  const held = await savedSession();
  const turn = await world.open(worker, held);
  await age(held, 2 * DAY_MS);
  expect(await sweepWorkspaces(local)).toBe(0);
  expect(await worker.list(held)).toEqual({ file: MARKER });
  await turn.close();
});
