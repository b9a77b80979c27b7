import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** The parsed JSON file, or undefined when there is none. */
export const readJson = (path) =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;

/** Replaces the file in one step; only its owner can read it. */
export function writePrivateJson(path, value) {
  const temporary = `${path}.${process.pid}`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
