import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Slug } from "../protocol/id";
import { usageError } from "./exit-code";

/** A name as a slug: no scope, other characters become `-`, no `--`, no leading mark, ≤ 64. */
export const slugFrom = (name: string): string =>
  name
    .replace(/^@[^/]*\//, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 64)
    .replace(/-+$/, "");

async function packageName(dir: string): Promise<string | undefined> {
  const text = await readFile(join(dir, "package.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined; // the build reports a broken package.json with its line
  }
}

/** Checks a slug as the server will. */
export function requireSlug(slug: string, flag: string): string {
  const parsed = Slug.safeParse(slug);
  if (parsed.success) return slug;
  throw usageError(
    `"${slug}" cannot be used: ${parsed.error.issues[0]?.message}.`,
    `Give another with ${flag} NAME.`,
  );
}

/** The agent's slug of a project folder: its package name without scope, else the folder's. */
export async function slugOfProject(dir: string): Promise<string> {
  const fromPackage = slugFrom((await packageName(dir)) ?? "");
  return requireSlug(fromPackage || slugFrom(basename(resolve(dir))), "--agent");
}
