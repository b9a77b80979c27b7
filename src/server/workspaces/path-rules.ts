import { posix } from "node:path";

/** Rows are found by path, and an index entry has an end. */
const MAX_PATH_BYTES = 1_024;

/** Whether a relative path names something inside a workspace, and can be kept. */
export function isKeepablePath(path: string): boolean {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || /[\0\ufffd]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** Whether a link stays inside: judged by its text alone, no link is ever followed. */
export function staysInside(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/")) return false;
  const end = posix.normalize(posix.join(posix.dirname(path), target));
  return end !== ".." && !end.startsWith("../");
}
