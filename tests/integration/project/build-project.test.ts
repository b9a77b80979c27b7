import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BuildLine } from "../../../src/project/build-line";
import { buildProject, SCAN_FILE } from "../../../src/project/build-project";
import { npmBesideNode } from "../../../src/project/install-dependencies";
import { ProjectScan } from "../../../src/project/project-scan";

const repository = join(import.meta.dirname, "../../..");
const toolchain = { sdkDir: join(repository, "src/sdk"), modulesDir: repository };

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "berth-build-"));
});
afterEach(() => rm(dir, { recursive: true }));

const build = async (files: Record<string, string>) => {
  const source = join(dir, "source");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(source, dirname(path)), { recursive: true });
    await writeFile(join(source, path), text);
  }
  const lines: BuildLine[] = [];
  const out = join(dir, "out");
  const ok = await buildProject({
    source,
    out,
    work: join(dir, "work"),
    toolchain,
    npm: npmBesideNode(),
    print: (line) => lines.push(line),
  });
  const phases = lines.flatMap((line) => (line.type === "phase" ? [line.phase] : []));
  const codes = lines.flatMap((line) => (line.type === "diagnostic" ? [line.diagnostic.code] : []));
  return { ok, out, source, phases, codes };
};

const VENDORED = {
  "bot/instructions.md": "x",
  "bot/tools/a.ts": 'import { word } from "words"; export default { word };',
  "vendor/words/package.json":
    '{ "name": "words", "version": "1.0.0", "main": "index.js", "scripts": { "install": "touch ../../ran" } }',
  "vendor/words/index.js": 'exports.word = "hello";',
};
const WANTS = { "@cursor/bdk": "^99.0.0", zod: "^4.0.0", words: "file:./vendor/words" };

test("installs only what is left, runs no script, changes nothing of the source", async () => {
  const written = JSON.stringify({
    name: "v",
    dependencies: WANTS,
    devDependencies: { "no-such-package-anywhere": "1.0.0" },
  });
  const { ok, out, source, phases, codes } = await build({ ...VENDORED, "package.json": written });
  expect({ ok, phases, codes }).toEqual({
    ok: true,
    phases: ["scan", "install", "bundle"],
    codes: ["no_lockfile"],
  });
  expect(await readFile(join(source, "package.json"), "utf8")).toBe(written);
  await expect(readFile(join(dir, "work/project/ran"))).rejects.toThrow("ENOENT");
  const { definitions } = await import(pathToFileURL(join(out, "bundle.mjs")).href);
  await expect(definitions.tools.a()).resolves.toMatchObject({ default: { word: "hello" } });
  const scan = ProjectScan.parse(JSON.parse(await readFile(join(out, SCAN_FILE), "utf8")));
  expect(scan.dependencies).toEqual({ words: "file:./vendor/words" });
  await readFile(join(out, "project/vendor/words/index.js"));
}, 30_000);

test("a lock that names what Berth provides still installs", async () => {
  const root = { name: "v", dependencies: WANTS };
  const lock = {
    name: "v",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": root,
      "node_modules/@cursor/bdk": {
        version: "99.0.0",
        resolved: "https://registry.test/@cursor/bdk/-/bdk-99.0.0.tgz",
      },
      "node_modules/words": { resolved: "vendor/words", link: true },
      "vendor/words": { name: "words", version: "1.0.0" },
    },
  };
  const { ok, codes } = await build({
    ...VENDORED,
    "package.json": JSON.stringify(root),
    "package-lock.json": JSON.stringify(lock),
  });
  expect({ ok, codes }).toEqual({ ok: true, codes: [] });
}, 30_000);

test("a lock that leads to a repository is refused before anything is fetched", async () => {
  const root = { name: "v", dependencies: { words: "^1.0.0" } };
  const resolved = "git+ssh://git@git.test/words.git#abc";
  const packages = { "": root, "node_modules/words": { version: "1.0.0", resolved } };
  const { ok, codes } = await build({
    ...VENDORED,
    "package.json": JSON.stringify(root),
    "package-lock.json": JSON.stringify({ name: "v", lockfileVersion: 3, packages }),
  });
  expect({ ok, codes }).toEqual({ ok: false, codes: ["unsupported_dependency"] });
}, 30_000);

test("a project with errors stops at the scan", async () => {
  const { ok, phases, codes } = await build({
    "bot/tools/tag_artifact.ts": "",
    "bot/instructions.md": "x",
  });
  expect({ ok, phases, codes }).toEqual({ ok: false, phases: ["scan"], codes: ["reserved_name"] });
});
