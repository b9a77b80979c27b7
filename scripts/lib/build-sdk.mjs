import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { ROOT } from "./root.mjs";
import { runNode } from "./run-command.mjs";
import { whenChanged } from "./stamp.mjs";

/** The npm name of the authoring package, and the subpaths agent projects import. */
const NAME = "openberth";
const SUBPATHS = [
  "index",
  "tools",
  "schedules",
  "reminders",
  "skills",
  "channels",
  "channels/slack",
  "channels/github",
  "connections",
  "extensions",
  "extensions/jev",
  "hooks",
  "artifacts",
  "evals",
  "prompt",
  "memory",
  "storage",
  "storage/file-kv",
  "client",
];
const SOURCE = join(ROOT, "src/sdk");
const OUT = join(ROOT, "dist/sdk");
/** The file a specifier of the sources means: `x.ts`, or the folder's index. */
const sourceOf = (subpath) =>
  [`${subpath}.ts`, `${subpath}/index.ts`].find((file) => existsSync(join(SOURCE, file)));

async function bundleModules(entries) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: ROOT,
    entryPoints: entries.map(({ subpath, file }) => ({ in: `src/sdk/${file}`, out: subpath })),
    outdir: "dist/sdk",
    bundle: true,
    splitting: true, // one copy of what subpaths share: identity matters to `instanceof` and symbols
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    legalComments: "none",
    logLevel: "error",
  });
}

const RELATIVE = /((?:from|import)\s*\(?\s*["'])(\.{1,2}\/[^"']+)(["'])/g;

/** Node's own resolution wants the extension that the sources leave out. */
async function addExtensions(dir) {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  for (const entry of entries.filter((item) => item.name.endsWith(".d.ts"))) {
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "utf8");
    const complete = text.replace(RELATIVE, (_all, before, specifier, after) => {
      const target = join(dirname(path), specifier);
      const suffix = existsSync(`${target}.d.ts`) ? ".js" : "/index.js";
      return `${before}${specifier}${suffix}${after}`;
    });
    if (complete !== text) await writeFile(path, complete);
  }
}

async function emitTypes(entries) {
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: {
      noEmit: false,
      incremental: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: "../../src",
      outDir: "types",
      plugins: [],
    },
    include: [],
    files: entries.map(({ file }) => `../../src/sdk/${file}`),
  };
  const file = join(OUT, "tsconfig.json");
  await writeFile(file, JSON.stringify(config));
  await runNode("node_modules/typescript/bin/tsc", ["-p", file]);
  await rm(file);
  await addExtensions(join(OUT, "types"));
}

async function writeManifest(entries) {
  const own = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const typesOf = (file) => `./types/sdk/${file.replace(/\.ts$/, ".d.ts")}`;
  const exported = entries.map(({ subpath, file }) => [
    subpath === "index" ? "." : `./${subpath}`,
    { types: typesOf(file), default: `./${subpath}.js` },
  ]);
  const manifest = {
    name: NAME,
    version: own.version,
    description: "Write agents for Berth.",
    license: own.license,
    type: "module",
    sideEffects: false,
    engines: own.engines,
    exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" },
    dependencies: { zod: own.dependencies.zod },
  };
  await writeFile(join(OUT, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(OUT, "LICENSE"), await readFile(join(ROOT, "LICENSE")));
}

/** A tarball as `npm pack` makes it; the same sources give the same bytes. */
async function packTarball() {
  const { create } = await import("tar");
  const entries = await readdir(OUT, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(OUT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
  const options = { portable: true, mtime: new Date(0), prefix: "package", cwd: OUT };
  await create({ ...options, gzip: { level: 9 }, file: join(ROOT, "dist/berth.tgz") }, files);
}

/** Builds dist/sdk (the package as installed) and dist/berth.tgz. Returns whether it did. */
export function buildSdk() {
  const inputs = ["src/sdk", "src/protocol", "package.json", "scripts/lib/build-sdk.mjs"];
  const outputs = ["dist/sdk/package.json", "dist/berth.tgz"];
  return whenChanged("sdk", { inputs, outputs }, async () => {
    const entries = SUBPATHS.map((subpath) => ({ subpath, file: sourceOf(subpath) })).filter(
      ({ file }) => file,
    );
    if (entries.length === 0) throw new Error("src/sdk has no module to build.");
    await rm(OUT, { recursive: true, force: true });
    await mkdir(OUT, { recursive: true });
    await bundleModules(entries);
    await emitTypes(entries);
    await writeManifest(entries);
    await packTarball();
  });
}
