import { RESERVED_SLUGS } from "../../protocol/id";

const SYSTEM_PATHS = new Set(["/healthz", "/readyz", "/download/berth.tgz"]);

/** Whether the API answers a path (SPEC 2); everything else is a page. */
export function isApiPath(path: string): boolean {
  if (SYSTEM_PATHS.has(path)) return true;
  const [, first = "", second = "", third] = path.split("/");
  if (first === "api") return second !== "auth";
  return third === "v1" && second !== "" && !RESERVED_SLUGS.has(first.toLowerCase());
}
