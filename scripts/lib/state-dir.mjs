import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { postgresUser } from "./postgres-binaries.mjs";
import { Problem } from "./problem.mjs";
import { ROOT } from "./root.mjs";

/** Marks a folder as ours, so that `--fresh` can never empty anything else. */
const MARKER = "berth-state";

/** Whether `user` may pass through the nearest existing folder at or above `path`. */
function isReachable(path, user) {
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  const check = ["-c", 'test -x "$1"', "sh", existing];
  return spawnSync("/bin/sh", check, { ...user, cwd: "/" }).status === 0;
}

/** `.berth` of the clone, or a folder of /var/lib/berth where root's Postgres cannot read that. */
function defaultDir(embeddedPostgres) {
  const inClone = join(ROOT, ".berth");
  if (!embeddedPostgres || process.getuid?.() !== 0) return inClone;
  if (isReachable(ROOT, postgresUser())) return inClone;
  const digest = createHash("sha256").update(ROOT).digest("hex").slice(0, 10);
  return join("/var/lib/berth", `${basename(ROOT)}-${digest}`);
}

/** The absolute state folder for `requested` (`--state`), which need not exist yet. */
export function stateDirFor(requested, { embeddedPostgres }) {
  if (!requested) return defaultDir(embeddedPostgres);
  const dir = resolve(requested);
  if (embeddedPostgres && process.getuid?.() === 0 && !isReachable(dir, postgresUser())) {
    throw new Problem(
      `${dir} is in a folder that only root can enter; Postgres does not run as root.`,
      "Choose another --state folder, for example one below /var/lib.",
    );
  }
  return dir;
}

function requireOurs(dir) {
  if (existsSync(join(dir, MARKER)) || !existsSync(dir)) return;
  const foreign = readdirSync(dir).filter((name) => name !== "project.json");
  if (foreign.length === 0) return;
  throw new Problem(
    `${dir} exists and holds something else (${foreign.slice(0, 3).join(", ")}).`,
    "Choose an empty or a new folder with --state.",
  );
}

/** Creates the state folder; with `fresh` empties it first. Others than us may only pass through. */
export function prepareStateDir(dir, { fresh }) {
  requireOurs(dir);
  if (fresh) rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o711);
  writeFileSync(join(dir, MARKER), "This folder holds the state of a Berth installation.\n");
}
