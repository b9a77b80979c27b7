import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { Header } from "tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SOURCE_LIMITS } from "../../../src/server/deployments/archive-limits";
import { entrySegments } from "../../../src/server/deployments/archive-names";
import { extractArchive } from "../../../src/server/deployments/extract-archive";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "berth-archive-"));
  await mkdir(join(folder, "out"));
});
afterEach(async () => {
  expect(await openBelow(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Files below a folder that this process has open. */
async function openBelow(path: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const open = await readdir("/proc/self/fd");
  const files = open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(files)).filter((file) => file.startsWith(path));
}

interface Entry {
  path: string;
  type?: string;
  data?: string;
  /** What the header claims, when it is not the data's size. */
  size?: number;
  linkpath?: string;
}

/** One entry's blocks, whatever its header claims. */
function blocks({
  path,
  type = "File",
  data = "",
  size = Buffer.byteLength(data),
  linkpath,
}: Entry) {
  const block = Buffer.alloc(512);
  const header = new Header({ path, type: type as never, size, mode: 0o644, linkpath } as never);
  header.encode(block, 0);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(data) / 512) * 512);
  body.write(data);
  return Buffer.concat([block, body]);
}

const pack = (entries: Entry[]) =>
  gzipSync(Buffer.concat([...entries.map(blocks), Buffer.alloc(1024)]));

const extract = (packed: Uint8Array, limits = SOURCE_LIMITS) =>
  extractArchive(Readable.from([packed]), join(folder, "out"), limits);

const file = (path: string, data = "x"): Entry => ({ path, data });

const randomText = (length: number): string => randomBytes(length / 2).toString("hex");

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
}

test("a plain project arrives as it was packed", async () => {
  await extract(
    pack([
      { path: "./", type: "Directory" },
      { path: "bot/", type: "Directory" },
      file("./bot/instructions.md", "Be brief."),
      file("bot/tools/deep/a.ts", "export {}"),
      file("leeres ümläut 🎉.txt", ""),
    ]),
  );
  expect(await readFile(join(folder, "out/bot/instructions.md"), "utf8")).toBe("Be brief.");
  expect(await readFile(join(folder, "out/bot/tools/deep/a.ts"), "utf8")).toBe("export {}");
  expect((await readdir(join(folder, "out"))).sort()).toEqual(["bot", "leeres ümläut 🎉.txt"]);
});

test("what the system's own tar packs arrives too", async () => {
  const source = join(folder, "source");
  await mkdir(join(source, "a"), { recursive: true });
  const long = "n".repeat(180);
  await writeFile(join(source, "a", long), "long");
  await writeFile(join(source, "big.bin"), Buffer.alloc(3_000_000, 7));
  execFileSync("tar", ["-czf", join(folder, "p.tgz"), "-C", source, "."]);
  await extract(await readFile(join(folder, "p.tgz")));
  expect(await readFile(join(folder, "out/a", long), "utf8")).toBe("long");
  expect((await readFile(join(folder, "out/big.bin"))).length).toBe(3_000_000);
});

describe("attacks are refused, naming the entry", () => {
  const link = (type: string, path: string, linkpath: string): Entry => ({ path, type, linkpath });
  const attacks: [string, Entry[], string][] = [
    ["a parent folder", [file("../evil")], "../evil"],
    ["a parent folder in the middle", [file("a/../../evil")], "a/../../evil"],
    ["a parent folder as a folder", [{ path: "..", type: "Directory" }], ".."],
    ["an absolute path", [file("/etc/evil")], "/etc/evil"],
    ["a drive", [file("C:/evil")], "C:/evil"],
    ["a backslash", [file("a\\..\\evil")], "a\\..\\evil"],
    ["a control character", [file("a\nb")], "a\nb"],
    ["a symbolic link", [link("SymbolicLink", "l", "/etc/passwd")], "l"],
    ["a symbolic link inside", [link("SymbolicLink", "l", "a"), file("a")], "l"],
    ["a hard link", [file("a"), link("Link", "h", "a")], "h"],
    ["a character device", [{ path: "d", type: "CharacterDevice" }], "d"],
    ["a block device", [{ path: "d", type: "BlockDevice" }], "d"],
    ["a pipe", [{ path: "p", type: "FIFO" }], "p"],
    ["the same file twice", [file("a", "1"), file("a", "2")], "a"],
    ["the same file twice, spelled differently", [file("a/b"), file("./a//b")], "a/b"],
    ["names that differ in case", [file("README"), file("readme")], "readme"],
    ["folders that differ in case", [file("Lib/a"), file("lib/b")], "lib"],
    ["names of one glyph", [file("\u00e9"), file("e\u0301")], "e\u0301"],
    ["a file as a folder", [file("a"), file("a/b")], "a"],
    ["a folder as a file", [file("a/b"), file("a")], "a"],
    ["a link through a folder", [link("SymbolicLink", "d", ".."), file("d/evil")], "d"],
  ];
  test.each(attacks)("%s", async (_, entries, name) => {
    const error = await extract(pack(entries)).then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: "invalid_archive", details: { entry: name } });
    expect(error.message).toContain(JSON.stringify(name));
    expect(await readdir(folder)).toEqual(["out"]);
  });
});

describe("limits, on both sides", () => {
  const small = { files: 3, unpackedBytes: 1_000 };

  test("the number of files", async () => {
    await extract(pack([file("a"), file("b"), file("c")]), small);
    await rm(join(folder, "out"), { recursive: true });
    await mkdir(join(folder, "out"));
    const more = pack([file("a"), file("b"), file("c"), file("d")]);
    await expect(extract(more, small)).rejects.toMatchObject({ details: { entry: "d" } });
  });

  test("the number of folders", async () => {
    const folders = ["a", "b", "c", "d"].map((path): Entry => ({ path, type: "Directory" }));
    await expect(extract(pack(folders), small)).rejects.toMatchObject({ details: { entry: "d" } });
  });

  test("the number of folders that only a deeper file names", async () => {
    await extract(pack([file("a/b/c/f")]), small);
    const deeper = pack([file("a/b/c/d/f")]);
    await expect(extract(deeper, small)).rejects.toMatchObject({ details: { entry: "a/b/c/d/f" } });
    const wide = pack([file("a/b/f"), file("c/d/f")]);
    await expect(extract(wide, small)).rejects.toMatchObject({ details: { entry: "c/d/f" } });
  });

  test("the bytes", async () => {
    await extract(pack([file("a", "x".repeat(1_000))]), small);
    const more = pack([file("b", "x".repeat(600)), file("c", "x".repeat(401))]);
    await expect(extract(more, small)).rejects.toMatchObject({ details: { entry: "c" } });
  });

  test("a bomb: much from little, before it is all unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    await expect(extract(bomb)).rejects.toMatchObject({ code: "invalid_archive" });
    const inside = gzipSync(
      Buffer.concat([
        blocks({ path: "b", size: 150 * 1024 * 1024 }),
        Buffer.alloc(150 * 1024 * 1024),
      ]),
    );
    await expect(extract(inside)).rejects.toMatchObject({ details: { entry: "b" } });
  });
});

test("names and paths that are too long", () => {
  expect(entrySegments(`${"a".repeat(255)}/b`)).toHaveLength(2);
  expect(() => entrySegments("ü".repeat(128))).toThrow("too long a name");
  expect(() => entrySegments("a/".repeat(600))).toThrow("too long a path");
});

describe("archives that are none", () => {
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["no gzip", Buffer.from("this is no archive, it is only text that goes on and on")],
    ["half a gzip", pack([file("a", "x".repeat(5_000))]).subarray(0, 60)],
    ["a gzip in a gzip", gzipSync(pack([file("a")]))],
    ["gzip of no tar", gzipSync(Buffer.from("z".repeat(2_000)))],
  ])("%s", async (_, bytes) => {
    await expect(extract(bytes)).rejects.toMatchObject({ code: "invalid_archive" });
  });

  test("an upload that breaks off in the middle of a file", async () => {
    const files = Array.from({ length: 4 }, (_, i) => file(`${i}`, randomText(150_000)));
    const whole = pack(files);
    for (let part = 1; part < 12; part++) {
      const cut = whole.subarray(0, Math.floor((whole.length * part) / 12));
      const inPieces = Readable.from(pieces(cut));
      const out = join(folder, `cut-${part}`);
      await mkdir(out);
      await expect(extractArchive(inPieces, out, SOURCE_LIMITS)).rejects.toMatchObject({
        code: "invalid_archive",
      });
      expect(await openBelow(folder)).toEqual([]);
    }
  });

  test("a tar that ends in the middle of a file", async () => {
    const whole = blocks(file("a", "x".repeat(5_000)));
    await expect(extract(gzipSync(whole.subarray(0, 1_024)))).rejects.toMatchObject({
      code: "invalid_archive",
    });
  });
});
