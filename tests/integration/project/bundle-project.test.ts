import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUNDLE_FILE, bundleProject } from "../../../src/project/bundle-project";
import { copyProject } from "../../../src/project/copy-project";
import { scanProject } from "../../../src/project/scan-project";

const repository = join(import.meta.dirname, "../../..");
const fixtures = join(repository, "tests/fixtures/projects");
const toolchain = { sdkDir: join(repository, "src/sdk"), modulesDir: repository };

type Module = Record<string, unknown> & {
  default: Record<string, unknown> & { execute(...args: unknown[]): unknown };
};
interface Bundle {
  definitions: Record<string, Record<string, () => Promise<Module>>>;
  files: Record<string, string>;
}

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "berth-bundle-"));
});
afterAll(() => rm(work, { recursive: true }));

const bundle = async (dir: string, name: string) => {
  const outDir = join(work, name);
  const scan = await scanProject(dir);
  const diagnostics = await bundleProject({ dir, outDir, scan, toolchain });
  return { outDir, scan, diagnostics };
};

const load = async (outDir: string): Promise<Bundle> =>
  await import(pathToFileURL(join(outDir, BUNDLE_FILE)).href);

test("a project written for other packages bundles unchanged and runs", async () => {
  const dir = join(fixtures, "compat");
  const { outDir, scan, diagnostics } = await bundle(dir, "compat");
  expect(diagnostics).toEqual([]);
  expect(scan.diagnostics.map(({ code }) => code)).toEqual(["unrecognized_directory"]);
  await copyProject(dir, join(outDir, "project"));
  const { definitions, files } = await load(outDir);
  expect(definitions.agent).toBeUndefined();
  expect(files["tools/stock"]).toBe("bot/tools/stock.ts");

  const stock = await definitions.tools!.stock!();
  expect(stock.label).toBe("stock");
  expect(stock.default.description).toBe(
    "Look up how many of an article are in stock.\nCount only what is on a shelf.",
  );
  const kv = { get: () => Promise.resolve(undefined), put: () => Promise.resolve() };
  await expect(
    stock.default.execute({ article: " Nails ", depot: "s" }, { host: { kv } }),
  ).resolves.toEqual({ article: "nails", depot: "s", lookups: 1, note: undefined });

  const where = await definitions.tools!["where-am-i"]!();
  expect(where.default.execute()).toEqual({
    byUrl: "notes travel with the bundle",
    byDirname: "notes travel with the bundle",
    byRequire: { max: 3 },
    byImport: "notes travel with the bundle",
    limits: { max: 3 },
  });
  const explode = await definitions.tools!.explode!();
  expect(() => explode.default.execute({ reason: "x" })).toThrow("refused: x");

  const nightly = await definitions.schedules!.nightly!();
  const webhook = await definitions.channels!.webhook!();
  expect(nightly.channel).toBe(webhook.default);
});

test("the map lies beside the bundle, which does not point to it", async () => {
  const { outDir } = await bundle(join(fixtures, "compat"), "map");
  expect(JSON.parse(await readFile(join(outDir, `${BUNDLE_FILE}.map`), "utf8")).version).toBe(3);
  expect(await readFile(join(outDir, BUNDLE_FILE), "utf8")).not.toContain("sourceMappingURL");
});

test("nothing outside the project can be read, and each refusal names file and line", async () => {
  const { outDir, diagnostics } = await bundle(join(fixtures, "hostile"), "hostile");
  const found = Object.fromEntries(diagnostics.map((d) => [d.file, `${d.code}:${d.line}`]));
  expect(found).toEqual({
    "bot/tools/steal.ts": "import_outside_project:1",
    "bot/tools/climb.ts": "import_outside_project:1",
    "bot/tools/fetched.ts": "remote_import:1",
    "bot/tools/internals.ts": "vendor_internal_import:1",
    "bot/tools/cloud.ts": "vendor_service:1",
    "bot/tools/bytes.ts": "import_outside_project:1",
  });
  await expect(readFile(join(outDir, BUNDLE_FILE))).rejects.toThrow("ENOENT");
});

test("a link inside the project does not lead out of it", async () => {
  const dir = join(work, "linked");
  await cp(join(fixtures, "hostile/bot/instructions.md"), join(dir, "bot/instructions.md"));
  await mkdir(join(dir, "bot/tools"));
  await symlink("/etc/passwd", join(dir, "bot/tools/data.txt"));
  await writeFile(
    join(dir, "bot/tools/a.ts"),
    'import x from "../../../src/project/data.txt"; export default x;',
  );
  const { scan, diagnostics } = await bundle(dir, "linked-out");
  expect(scan.diagnostics.map((d) => d.code)).toEqual(["not_a_regular_file"]);
  expect(diagnostics.map((d) => d.code)).toEqual(["import_outside_project"]);
});

test("one definition that throws at import does not sink the others", async () => {
  const dir = join(work, "throws");
  await mkdir(join(dir, "bot/tools"), { recursive: true });
  await writeFile(join(dir, "bot/instructions.md"), "x");
  await writeFile(join(dir, "bot/tools/bad.ts"), 'throw new Error("missing");');
  await writeFile(
    join(dir, "bot/tools/good.ts"),
    "const ready = await Promise.resolve(1); export default { ready };",
  );
  const { outDir, diagnostics } = await bundle(dir, "throws-out");
  expect(diagnostics).toEqual([]);
  const { definitions } = await load(outDir);
  await expect(definitions.tools!.bad!()).rejects.toThrow("missing");
  await expect(definitions.tools!.good!()).resolves.toMatchObject({ default: { ready: 1 } });
});

test("a syntax error is reported with file, line and column", async () => {
  const dir = join(work, "syntax");
  await mkdir(join(dir, "bot/tools"), { recursive: true });
  await writeFile(join(dir, "bot/tools/a.ts"), "export default {\n  a: import.meta.url = ;\n};\n");
  const { diagnostics } = await bundle(dir, "syntax-out");
  expect(diagnostics).toMatchObject([
    { severity: "error", code: "build_error", file: "bot/tools/a.ts", line: 2 },
  ]);
});

test("Zod 3 is provided where the project's range asks for it", async () => {
  const dir = join(work, "zod3");
  await mkdir(join(dir, "bot/tools"), { recursive: true });
  await writeFile(join(dir, "package.json"), '{ "dependencies": { "zod": "^3.23.0" } }');
  await writeFile(
    join(dir, "bot/tools/a.ts"),
    'import { z } from "zod"; export default { four: "_zod" in z.string() };',
  );
  const { outDir, diagnostics } = await bundle(dir, "zod3-out");
  expect(diagnostics).toEqual([]);
  const { definitions } = await load(outDir);
  await expect(definitions.tools!.a!()).resolves.toMatchObject({ default: { four: false } });
});

test("CommonJS packages find require and a folder, and may require what is missing", async () => {
  const dir = join(work, "cjs");
  await mkdir(join(dir, "bot/tools"), { recursive: true });
  await mkdir(join(dir, "node_modules/old"), { recursive: true });
  await writeFile(
    join(dir, "node_modules/old/index.js"),
    `const name = "node:path";
     let extra = "none";
     try { extra = require("not-installed"); } catch {}
     module.exports = { join: require(name).join("a", "b"), folder: typeof __dirname, extra };`,
  );
  await writeFile(join(dir, "bot/tools/a.ts"), 'import old from "old"; export default { ...old };');
  const { outDir, diagnostics } = await bundle(dir, "cjs-out");
  expect(diagnostics).toEqual([]);
  const { definitions } = await load(outDir);
  await expect(definitions.tools!.a!()).resolves.toMatchObject({
    default: { join: "a/b", folder: "string", extra: "none" },
  });
});

test("a package that is not installed is reported where it is imported", async () => {
  const dir = join(work, "absent");
  await mkdir(join(dir, "bot/tools"), { recursive: true });
  await writeFile(
    join(dir, "bot/tools/a.ts"),
    '\nimport x from "not-installed";\nexport default x;',
  );
  const { diagnostics } = await bundle(dir, "absent-out");
  expect(diagnostics).toMatchObject([
    { code: "unresolved_import", file: "bot/tools/a.ts", line: 2 },
  ]);
});
