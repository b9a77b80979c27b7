import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { list } from "tar";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packProject } from "./pack-project";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "berth-pack-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function write(path: string, text = "x\n") {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function namesIn(archive: Uint8Array): Promise<string[]> {
  const names: string[] = [];
  const parser = list({ onReadEntry: (entry) => names.push(`${entry.type} ${entry.path}`) });
  await new Promise((resolve, reject) => {
    parser.on("end", resolve).on("error", reject);
    Readable.from([Buffer.from(archive)]).pipe(parser);
  });
  return names;
}

describe("packProject", () => {
  it("honours nested .gitignore and .berthignore, and never sends env files or dependencies", async () => {
    await write(".gitignore", "*.log\nout/\n");
    await write("bot/.gitignore", "!keep.log\n");
    await write(".berthignore", "docs\n");
    for (const path of ["bot/agent.ts", "bot/keep.log", "a.log", "out/x", "docs/y"])
      await write(path);
    for (const path of [".env", "bot/.env.local", "node_modules/z/i.js", ".berth/project.json"])
      await write(path);
    const { files } = await packProject(dir);
    expect(files).toEqual([
      ".berthignore",
      ".gitignore",
      "bot/.gitignore",
      "bot/agent.ts",
      "bot/keep.log",
    ]);
  });

  it("takes tracked and untracked files of a Git work tree, not ignored or deleted ones", async () => {
    const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args]);
    git("init", "-q");
    for (const path of ["tracked.ts", "gone.ts", "new.ts", "secret.txt"]) await write(path);
    await write(".gitignore", "secret.txt\n");
    git("add", "tracked.ts", "gone.ts");
    await rm(join(dir, "gone.ts"));
    expect((await packProject(dir)).files).toEqual([".gitignore", "new.ts", "tracked.ts"]);
  });

  it("makes the same archive of the same files, whatever their times", async () => {
    await write("b.ts");
    await write("a/@odd name.ts");
    const first = await packProject(dir);
    await utimes(join(dir, "b.ts"), new Date(0), new Date(0));
    const second = await packProject(dir);
    expect(Buffer.compare(first.archive, second.archive)).toBe(0);
    expect(await namesIn(first.archive)).toEqual(["File ./a/@odd name.ts", "File ./b.ts"]);
  });

  it.each([
    ["-----BEGIN RSA ", "PRIVATE KEY-----"],
    ["bth_0123456789ab_", "0123456789abcdefghijABCDEFGHIJ"],
    ["AKIA", "ABCDEFGHIJKLMNOP"],
    ["key: sk-", "proj-abcdefghij0123456789ABCD"],
    ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"],
  ])("stops at what looks like a key (%s…) and names file and line", async (head, tail) => {
    await write("lib/config.ts", `// one\n${head}${tail}\n`);
    const error = await packProject(dir).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "key_in_project" });
    expect((error as Error).message).toContain("lib/config.ts:2");
    expect((error as Error).message).not.toContain(tail);
  });

  it("does not mistake prose for keys", async () => {
    await write("a.md", "task-abcdefghijklmnopqrstuvwxyz and BEGIN PUBLIC KEY and sk-short\n");
    expect((await packProject(dir)).files).toEqual(["a.md"]);
  });

  it("follows a link inside the project and refuses one that leads out", async () => {
    await write("a.txt", "hello");
    await symlink("a.txt", join(dir, "b.txt"));
    expect(await namesIn((await packProject(dir)).archive)).toEqual([
      "File ./a.txt",
      "File ./b.txt",
    ]);
    await symlink("/etc/hostname", join(dir, "c.txt"));
    await expect(packProject(dir)).rejects.toMatchObject({ code: "not_a_file" });
  });

  it("refuses an empty folder and too many files", async () => {
    await expect(packProject(dir)).rejects.toMatchObject({ code: "nothing_to_deploy" });
  });
});
