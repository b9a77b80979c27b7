import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeRunFolder, sweepRunFolders } from "./run-folder";

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "run-folders-"));
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true });
});

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid!;
}

/** A run folder as another process would have made it. */
async function folderOf(pid: number, space?: string): Promise<string> {
  const path = await makeRunFolder();
  const [, own] = (await readFile(join(path, "owner"), "utf8")).split("\n");
  await writeFile(join(path, "owner"), `${pid}\n${space ?? own}\n`);
  await mkdir(join(path, "guest"));
  await writeFile(join(path, "guest/main.cjs"), "");
  return path;
}

test("the folder of a process that is gone is removed, with what is in it", async () => {
  const left = await folderOf(await deadPid());
  expect(await sweepRunFolders()).toBe(1);
  expect(existsSync(left)).toBe(false);
});

test("folders stay whose makers live, are elsewhere, or cannot be told", async () => {
  const dead = await deadPid();
  const target = await mkdtemp(join(temporary, "target-"));
  await writeFile(join(target, "owner"), await readFile(join(await folderOf(dead), "owner")));
  expect(await sweepRunFolders()).toBe(1);
  await symlink(target, join(temporary, "berth-linked"));
  await mkdir(join(temporary, "berth-nobody"));
  await writeFile(join(temporary, "berth-file"), "");
  await makeRunFolder();
  await folderOf(process.ppid);
  await folderOf(dead, "another machine");
  await folderOf(0);
  await folderOf(-1);
  expect(await sweepRunFolders()).toBe(0);
  expect(existsSync(join(target, "owner"))).toBe(true);
});
