import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Diagnostic } from "../protocol/manifest";
import { errorAt } from "./diagnostics";
import { isProvided, PROVIDED_SDKS } from "./read-package";

const Ranges = z.record(z.string(), z.string()).optional();
const Root = z.looseObject({
  dependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
});
const LockEntry = z.looseObject({ resolved: z.string().optional(), link: z.boolean().optional() });
const Lock = z.looseObject({ packages: z.record(z.string(), LockEntry).optional() });

const withoutProvided = (ranges: Record<string, string> | undefined) =>
  ranges && Object.fromEntries(Object.entries(ranges).filter(([name]) => !isProvided(name)));

/** A package.json or a lock's root without what Berth provides and what a build never needs. */
const strip = (root: z.infer<typeof Root>): Record<string, unknown> => {
  const { devDependencies: _dev, scripts: _scripts, workspaces: _workspaces, ...rest } = root;
  return {
    ...rest,
    dependencies: withoutProvided(root.dependencies),
    optionalDependencies: withoutProvided(root.optionalDependencies),
    peerDependencies: withoutProvided(root.peerDependencies),
  };
};

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));
const writeJson = (path: string, value: unknown) => writeFile(path, JSON.stringify(value, null, 2));

const REACHABLE = /^(?:https?:\/\/[^/]+\/.*\.tgz$|file:(?!\/|.*\.\.))/;

const lockProblems = (packages: Record<string, z.infer<typeof LockEntry>>): Diagnostic[] =>
  Object.entries(packages)
    .filter(([path, { resolved, link }]) => {
      if (path.startsWith("..")) return true;
      return resolved !== undefined && link !== true && !REACHABLE.test(resolved);
    })
    .map(([path, { resolved }]) =>
      errorAt(
        "unsupported_dependency",
        `${path} comes from ${resolved ?? "outside"}, which a build cannot reach`,
        {
          file: "package-lock.json",
          fix: "use a version of the registry",
        },
      ),
    );

const stripLock = async (path: string): Promise<Diagnostic[]> => {
  const lock = Lock.parse(await readJson(path));
  const { packages = {} } = lock;
  const { "": root, ...rest } = packages;
  const sdkPaths = new Set(PROVIDED_SDKS.map((name) => `node_modules/${name}`));
  const kept = Object.entries(rest).filter(([entry]) => !sdkPaths.has(entry));
  const stripped = root === undefined ? {} : { "": strip(Root.parse(root)) };
  await writeJson(path, { ...lock, packages: { ...stripped, ...Object.fromEntries(kept) } });
  return lockProblems(Object.fromEntries(kept));
};

export interface InstallRequest {
  /** A copy of the project that may be changed. */
  dir: string;
  /** npm's program, `npm-cli.js`. */
  npm: string;
  onLine(line: string): void;
}

/** npm beside the running Node, where the official builds put it. */
export const npmBesideNode = (): string =>
  join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");

/**
 * Installs what the project needs and Berth does not provide, without running any script of a
 * package. With a lock exactly what it says. Changes package.json and the lock in `dir`.
 */
export const installDependencies = async (request: InstallRequest): Promise<Diagnostic[]> => {
  const { dir } = request;
  const manifest = join(dir, "package.json");
  const lock = join(dir, "package-lock.json");
  await writeJson(manifest, strip(Root.parse(await readJson(manifest))));
  const locked = existsSync(lock);
  const problems = locked ? await stripLock(lock) : [];
  if (problems.length > 0) return problems;
  const quiet = [
    "--ignore-scripts",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
  ];
  const code = await runNpm(request, [locked ? "ci" : "install", ...quiet]);
  if (code === 0) return [];
  return [
    errorAt(
      "install_failed",
      `npm ${locked ? "ci" : "install"} ended with ${code}; the log says why`,
      {
        file: locked ? "package-lock.json" : "package.json",
        fix: "run npm install in the project and deploy package.json with package-lock.json",
      },
    ),
  ];
};

const runNpm = ({ dir, npm, onLine }: InstallRequest, args: string[]): Promise<number | string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [npm, ...args], {
      cwd: dir,
      stdio: ["ignore", "pipe", "pipe"],
    });
    createInterface({ input: child.stdout }).on("line", onLine);
    createInterface({ input: child.stderr }).on("line", onLine);
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal ?? "no code"));
  });
