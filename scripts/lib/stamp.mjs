import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./root.mjs";

const IGNORED = /\.test(-d)?\.[cm]?tsx?$/;

/** All files below `path` (relative to the clone), sorted; a file is itself, a missing path none. */
function filesBelow(path) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  if (statSync(absolute).isFile()) return [path];
  return readdirSync(absolute, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !IGNORED.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

/** A digest of the names and contents of everything below `inputs`, tests left out. */
export function contentHash(inputs) {
  const hash = createHash("sha256").update(process.versions.node.split(".")[0]);
  for (const file of inputs.flatMap(filesBelow)) {
    hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex");
}

const stampFile = (name) => join(ROOT, "dist/.stamps", name);

/**
 * Runs `build` unless `inputs` are as when it last succeeded and every one of `outputs` exists.
 * Returns whether it ran.
 */
export async function whenChanged(name, { inputs, outputs }, build) {
  const hash = contentHash(inputs);
  const file = stampFile(name);
  const complete = outputs.every((path) => existsSync(join(ROOT, path)));
  if (complete && existsSync(file) && readFileSync(file, "utf8") === hash) return false;
  await build();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, hash);
  return true;
}
