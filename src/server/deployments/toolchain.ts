import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where the jail sees the programs of a build. */
const INSIDE = {
  dist: "/opt/toolchain/dist",
  modules: "/opt/toolchain/node_modules",
  npm: "/opt/npm",
};

export interface Toolchain {
  mounts: { source: string; target: string }[];
  /** Arguments of Node that build `/build/source` into `/build/out`. */
  args: string[];
}

/** Folder of the npm that came with the running Node, wherever its installer put it. */
function npmFolder(): string | undefined {
  const bin = dirname(process.execPath);
  const beside = join(bin, "../lib/node_modules/npm");
  if (existsSync(join(beside, "bin/npm-cli.js"))) return beside;
  const link = join(bin, "npm");
  return existsSync(link) ? dirname(dirname(realpathSync(link))) : undefined;
}

/** The programs of a build: ours from `dist`, their packages, and npm. */
export function findToolchain(root: string): Toolchain {
  const npm = npmFolder();
  const mounts = [
    { source: resolve(root, "dist"), target: INSIDE.dist },
    { source: resolve(root, "node_modules"), target: INSIDE.modules },
    ...(npm === undefined ? [] : [{ source: npm, target: INSIDE.npm }]),
  ];
  const args = [
    `${INSIDE.dist}/build.mjs`,
    ...["--source", "/build/source", "--out", "/build/out", "--work", "/build/work"],
    ...["--sdk", `${INSIDE.dist}/sdk`, "--modules", INSIDE.dist],
    ...(npm === undefined ? [] : ["--npm", `${INSIDE.npm}/bin/npm-cli.js`]),
  ];
  return { mounts, args };
}
