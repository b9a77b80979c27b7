import { execFileSync } from "node:child_process";
import { chmod, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

/** Does something in a new session's folder, saves it, and shows what another worker makes of it. */
async function saved(work: (path: string) => Promise<void>) {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await first.inFolder(sessionId, work);
  const { note } = await world.save(workspace, sessionId);
  await workspace.close();
  await (await world.open(second, sessionId)).close();
  return { sessionId, note, there: await second.list(sessionId) };
}

test("files, empty folders, permissions and inner links are the same on another worker", async () => {
  const { there, note } = await saved(async (path) => {
    await mkdir(join(path, "deep/er"), { recursive: true });
    await mkdir(join(path, "empty/inside"), { recursive: true });
    await writeFile(join(path, "a.txt"), "one");
    await writeFile(join(path, "deep/er/b.txt"), "");
    await writeFile(join(path, "run.sh"), "#!/bin/sh\n");
    await chmod(join(path, "run.sh"), 0o755);
    await symlink("../a.txt", join(path, "deep/link"));
  });
  expect(note).toBeUndefined();
  expect(there).toEqual({
    "a.txt": "one",
    "deep/er/b.txt": "",
    "deep/link": "-> ../a.txt",
    "empty/inside": "/",
    "run.sh": "*#!/bin/sh\n",
  });
});

test("what leaves the workspace or is no file is not saved, and the model is told once", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await first.inFolder(sessionId, async (path) => {
    await writeFile(join(path, "kept"), "kept");
    await symlink("/etc/shadow", join(path, "absolute"));
    await symlink("../../outside", join(path, "climbing"));
    execFileSync("/usr/bin/env", ["mkfifo", join(path, "pipe")]);
  });
  const { note } = await world.save(workspace, sessionId);
  expect(note).toContain("- absolute (a link that leaves the workspace)");
  expect(note).toContain("- climbing (a link that leaves the workspace)");
  expect(note).toContain("- pipe (neither a file nor a link)");
  expect(await world.rows(sessionId)).toEqual(["kept"]);
  expect((await world.save(workspace, sessionId)).note).toBeUndefined();
  await workspace.close();
});

test("a later save has only what changed; what is gone goes", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await first.inFolder(sessionId, async (path) => {
    for (const name of ["same", "changed", "gone"]) await writeFile(join(path, name), "before");
  });
  expect((await world.save(workspace, sessionId)).revision).toBe(1);
  expect((await world.save(workspace, sessionId)).changes).toBeUndefined();
  await first.inFolder(sessionId, async (path) => {
    await writeFile(join(path, "changed"), "beyond");
    await rm(join(path, "gone"));
    await mkdir(join(path, "new"));
    await rename(join(path, "same"), join(path, "new/same"));
  });
  const { changes, revision } = await world.save(workspace, sessionId);
  expect(revision).toBe(2);
  expect(changes?.files.map(({ path }) => path).sort()).toEqual(["changed", "new/same"]);
  expect(changes?.gone.sort()).toEqual(["gone", "same"]);
  await workspace.close();
});

test("a change that keeps size and time is found", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  const at = new Date("2020-01-01");
  const write = (text: string) =>
    first.inFolder(sessionId, async (path) => {
      await writeFile(join(path, "file"), text);
      await utimes(join(path, "file"), at, at);
    });
  await write("before");
  await world.save(workspace, sessionId);
  await write("beyond");
  expect((await world.save(workspace, sessionId)).changes?.files).toHaveLength(1);
  await workspace.close();
});

test("a save that was not written is no save", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  await first.inFolder(sessionId, (path) => writeFile(join(path, "file"), "text"));
  const fenced = workspace.save(() => Promise.reject(new Error("fenced")));
  await expect(fenced).rejects.toThrow("fenced");
  expect((await world.save(workspace, sessionId)).changes?.files).toHaveLength(1);
  await workspace.close();
});

test("saves at once are one after the other, and the last one has everything", async () => {
  const sessionId = await world.session();
  const workspace = await world.open(first, sessionId);
  const saves = Array.from({ length: 10 }, async (_, n) => {
    await first.inFolder(sessionId, (path) => writeFile(join(path, "shared"), String(n)));
    await first.inFolder(sessionId, (path) => writeFile(join(path, `own-${n}`), ""));
    return await world.save(workspace, sessionId);
  });
  await Promise.all(saves);
  await workspace.close();
  const here = await first.list(sessionId);
  await (await world.open(second, sessionId)).close();
  expect(await second.list(sessionId)).toEqual(here);
  expect(Object.keys(here)).toHaveLength(11);
});

test("a workspace holds 512 MiB, and the model is told what is beyond", async () => {
  const { note, sessionId } = await saved(async (path) => {
    await writeFile(join(path, "big"), "");
    await truncate(join(path, "big"), 512 * 1024 * 1024 + 1);
    await writeFile(join(path, "small"), "");
  });
  expect(note).toContain("- big (over the limit)");
  expect(note).toContain("At most 512 MiB in 20000 files are kept");
  expect(await world.rows(sessionId)).toEqual(["small"]);
});

describe("the quota", () => {
  const quota = { bytes: 3 * 1024 * 1024, files: 3 };
  const mib = (n: number) => Buffer.alloc(n * 1024 * 1024, "x");

  async function saveWith(files: Record<string, Buffer>) {
    const sessionId = await world.session();
    const workspace = await world.open(first, sessionId, { quota });
    const write = (more: Record<string, Buffer>) =>
      first.inFolder(sessionId, async (path) => {
        for (const [name, bytes] of Object.entries(more)) await writeFile(join(path, name), bytes);
      });
    await write(files);
    return { sessionId, workspace, write, ...(await world.save(workspace, sessionId)) };
  }

  test("holds exactly as many files as it says", async () => {
    const { note, workspace, sessionId, write } = await saveWith({
      a: mib(0),
      b: mib(0),
      c: mib(0),
    });
    expect(note).toBeUndefined();
    await write({ "1-first-by-name": mib(0) });
    expect((await world.save(workspace, sessionId)).note).toContain(
      "- 1-first-by-name (over the limit)",
    );
    expect(await world.rows(sessionId)).toEqual(["a", "b", "c"]);
    await workspace.close();
  });

  test("holds exactly as many bytes as it says", async () => {
    const { note, workspace, sessionId, write } = await saveWith({ a: mib(2), b: mib(1) });
    expect(note).toBeUndefined();
    await write({ c: Buffer.from("x") });
    const over = await world.save(workspace, sessionId);
    expect(over.note).toContain("- c (over the limit)");
    expect(over.note).toContain("At most 3 MiB in 3 files are kept");
    await workspace.close();
  });

  test("a saved file that outgrew it stays as it was saved, and is saved when there is room", async () => {
    const { workspace, sessionId, write } = await saveWith({ a: mib(2), b: mib(1) });
    await write({ b: mib(2) });
    expect((await world.save(workspace, sessionId)).note).toContain("- b (over the limit)");
    expect(await world.rows(sessionId)).toEqual(["a", "b"]);
    await first.inFolder(sessionId, (path) => rm(join(path, "a")));
    const { note, changes } = await world.save(workspace, sessionId);
    expect([note, changes?.files.map(({ path }) => path), changes?.gone]).toEqual([
      undefined,
      ["b"],
      ["a"],
    ]);
    await workspace.close();
  });
});
