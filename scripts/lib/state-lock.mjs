import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "./problem.mjs";
import { processIdentity } from "./process-table.mjs";

function holderOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Throws when another `up` runs on this state, naming its URL. */
export function requireUnlocked(dir) {
  const holder = holderOf(join(dir, "up.lock"));
  if (!holder || processIdentity(holder.pid) !== holder.identity) return;
  throw new Problem(
    `Berth already runs on this state: ${holder.url} (process ${holder.pid}).`,
    "Stop it with Ctrl-C, or start a second one with --state DIR --port N.",
  );
}

/** Claims the state for this process until `release` is called. */
export function lockState(dir, url) {
  requireUnlocked(dir);
  const path = join(dir, "up.lock");
  rmSync(path, { force: true });
  const holder = { pid: process.pid, identity: processIdentity(process.pid), url };
  writeFileSync(path, JSON.stringify(holder), { mode: 0o600, flag: "wx" });
  return { release: () => rmSync(path, { force: true }) };
}
