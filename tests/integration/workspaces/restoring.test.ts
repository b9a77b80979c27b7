import { lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestWorker, WorkspaceWorld } from "../../support/workspace-world";

let world: WorkspaceWorld;
let first: TestWorker;
let second: TestWorker;

beforeAll(async () => {
  world = await WorkspaceWorld.start();
  first = world.worker("first");
  second = world.worker("second");
});
afterAll(async () => {
  await first.sandboxes.close();
  await second.sandboxes.close();
  await world.stop();
});

const write = (worker: TestWorker, sessionId: string, files: Record<string, string>) =>
  worker.inFolder(sessionId, async (path) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  });

/** A session whose saved workspace holds these files, last held by the first worker. */
async function savedSession(files: Record<string, string>): Promise<string> {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await write(first, sessionId, files);
  await world.save(workspace, sessionId);
  await workspace.close();
  return sessionId;
}

test("what a lost attempt left is undone: new, changed, removed and replaced files", async () => {
  const files = { a: "a", b: "b", c: "c", d: "d" };
  const sessionId = await savedSession(files);
  await world.open(first, sessionId); // this attempt is lost: it never saves, never closes
  await first.inFolder(sessionId, async (path) => {
    await writeFile(join(path, "a"), "changed");
    await writeFile(join(path, "new"), "new");
    await rm(join(path, "b"));
    await rm(join(path, "c"));
    await mkdir(join(path, "c/folder"), { recursive: true });
    await rm(join(path, "d"));
    await symlink("/etc", join(path, "d"));
  });
  await (await world.open(first, sessionId)).close();
  expect(await first.list(sessionId)).toEqual(files);
});

test("a worker with an old copy takes the newer one", async () => {
  const sessionId = await savedSession({ a: "old", gone: "gone" });
  const workspace = await world.open(second, sessionId);
  await write(second, sessionId, { a: "new", b: "b" });
  await second.inFolder(sessionId, (path) => rm(join(path, "gone")));
  await world.save(workspace, sessionId);
  await workspace.close();
  await (await world.open(first, sessionId)).close();
  expect(await first.list(sessionId)).toEqual({ a: "new", b: "b" });
});

test("files that did not change are left as they are on the disk", async () => {
  const sessionId = await savedSession({ a: "a", b: "b" });
  const inode = (name: string) =>
    first.inFolder(sessionId, async (path) => (await lstat(join(path, name))).ino);
  const before = [await inode("a"), await inode("b")];
  await write(first, sessionId, { b: "lost" });
  await (await world.open(first, sessionId)).close();
  expect(await inode("a")).toBe(before[0]);
  expect(await first.list(sessionId)).toEqual({ a: "a", b: "b" });
});

test("a folder of the guest's that is a link leads the host nowhere", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await first.inFolder(sessionId, async (path) => {
    await mkdir(join(path, "deep"));
    await writeFile(join(path, "deep/file"), "saved");
  });
  await world.save(workspace, sessionId);
  await workspace.close();
  const outside = join(tmpdir(), `berth-outside-${sessionId}`);
  await mkdir(outside);
  await writeFile(join(outside, "file"), "outside");
  await first.inFolder(sessionId, async (path) => {
    await rm(join(path, "deep"), { recursive: true });
    await symlink(outside, join(path, "deep"));
  });
  const again = await world.open(first, sessionId);
  expect(await first.list(sessionId)).toEqual({ "deep/file": "saved" });
  await first.inFolder(sessionId, async (path) => {
    await rm(join(path, "deep"), { recursive: true });
    await symlink(outside, join(path, "deep"));
  });
  const { changes, note } = await world.save(again, sessionId);
  await again.close();
  expect([changes?.files, changes?.gone]).toEqual([[], ["deep/file"]]);
  expect(note).toContain("deep (a link that leaves the workspace)");
  expect((await lstat(join(outside, "file"))).size).toBe("outside".length);
  await rm(outside, { recursive: true });
});

test("SIGKILL between two writes, the folder wiped: both files are there", async () => {
  const sessionId = await world.session();
  const killed = await world.open(first, sessionId);
  await write(first, sessionId, { one: "1" });
  await world.save(killed, sessionId);
  await write(first, sessionId, { two: "half" });
  first = await first.lose();

  const resumed = await world.open(first, sessionId);
  expect(await first.list(sessionId)).toEqual({ one: "1" });
  await write(first, sessionId, { two: "2" });
  await world.save(resumed, sessionId);
  await resumed.close();
  first = await first.lose();
  await (await world.open(second, sessionId)).close();
  expect(await second.list(sessionId)).toEqual({ one: "1", two: "2" });
});

test("an attempt that lost the session does not touch the folder of the next one", async () => {
  const sessionId = await savedSession({ a: "a" });
  const lost = world.hold(first, sessionId);
  const current = await world.open(first, sessionId);
  await write(first, sessionId, { a: "written by the owner" });
  await lost.ready();
  await lost.close();
  expect(await first.list(sessionId)).toEqual({ a: "written by the owner" });
  expect((await world.save(current, sessionId)).revision).toBe(2);
  await current.close();
});

test("the workspace of a dry run is gone after its turn", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId, { dryRun: true });
  await write(first, sessionId, { a: "a" });
  expect(await world.save(workspace, sessionId)).toEqual({ revision: undefined, note: undefined });
  await workspace.close();
  expect(await first.list(sessionId)).toEqual({});
  expect(await world.rows(sessionId)).toEqual([]);
});

test("a session whose bytes are lost says so, and nothing is half restored as saved", async () => {
  const sessionId = await savedSession({ a: "a" });
  await rm(join(world.folder, "blobs", sessionId), { recursive: true });
  await expect(world.open(second, sessionId)).rejects.toMatchObject({
    code: "workspace_unavailable",
  });
});
