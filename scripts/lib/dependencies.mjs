import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "./problem.mjs";
import { ROOT } from "./root.mjs";
import { runCommand } from "./run-command.mjs";

const LOCK = join(ROOT, "package-lock.json");
const INSTALLED = join(ROOT, "node_modules/.package-lock.json");
const STAMP = join(ROOT, "node_modules/.berth-lock");

/** Refuses a Node that cannot run this, naming the versions that can. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (fits) return;
  throw new Problem(
    `Node ${process.versions.node} is too old (or an odd release) for this.`,
    "Install Node 20.19 or newer, 22.12 or newer, or 24: https://nodejs.org/en/download",
  );
}

const lockHash = () => createHash("sha256").update(readFileSync(LOCK)).digest("hex");

/** Whether what npm recorded in node_modules is what the lock file asks for. */
function installedMatchesLock() {
  if (!existsSync(INSTALLED)) return false;
  const installed = JSON.parse(readFileSync(INSTALLED, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(LOCK, "utf8")).packages;
  const missing = Object.entries(wanted).some(
    ([path, entry]) => path !== "" && !entry.optional && !installed[path],
  );
  const other = Object.entries(installed).some(
    ([path, entry]) => entry.version !== wanted[path]?.version,
  );
  return !missing && !other;
}

/** Whether node_modules stands as the lock file says; cheap, so that a second run is fast. */
export function dependenciesAreCurrent() {
  if (!existsSync(join(ROOT, "node_modules"))) return false;
  if (existsSync(STAMP)) return readFileSync(STAMP, "utf8") === lockHash();
  if (!installedMatchesLock()) return false;
  writeFileSync(STAMP, lockHash());
  return true;
}

/** Installs with `npm ci` unless node_modules is current. Returns whether it installed. */
export async function ensureDependencies() {
  if (dependenciesAreCurrent()) return false;
  const { NODE_ENV: _ignored, ...env } = process.env;
  const args = ["ci", "--include=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  const { code, output } = await runCommand("npm", args, { env });
  if (code !== 0) {
    throw new Problem(
      `npm ci failed:\n${output.trim().split("\n").slice(-15).join("\n")}`,
      "Check the network and the registry (npm config get registry), then run this again.",
    );
  }
  writeFileSync(STAMP, lockHash());
  return true;
}
