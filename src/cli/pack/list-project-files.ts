import { execFile } from "node:child_process";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ignore, { type Ignore } from "ignore";

const run = promisify(execFile);
const LISTING_BYTES = 64 * 1024 * 1024;

/** Never sent, whatever ignore files say: dependencies, history, local state, environment files. */
const NEVER = [".git", "node_modules", ".berth"];
const isNever = (path: string): boolean =>
  path.split("/").some((part) => NEVER.includes(part) || part.startsWith(".env"));

/** Files that Git tracks or would track; undefined where this is no Git work tree. */
async function listWithGit(dir: string): Promise<string[] | undefined> {
  const args = ["-C", dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listing = await run("git", args, { maxBuffer: LISTING_BYTES }).catch(() => undefined);
  if (listing === undefined) return undefined;
  return [...new Set(listing.stdout.split("\0").filter((path) => path !== ""))];
}

async function rulesIn(file: string): Promise<Ignore | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : ignore().add(text);
}

interface Scope {
  /** Folder the rules belong to, relative to the project, with a final `/` unless it is the root. */
  base: string;
  rules: Ignore;
}

/** Whether the innermost rule that speaks about the path ignores it. */
function ignoredBy(scopes: readonly Scope[], path: string): boolean {
  for (const { base, rules } of scopes.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function walk(root: string, base: string, outer: readonly Scope[]): Promise<string[]> {
  const own = await rulesIn(join(root, base, ".gitignore"));
  const scopes = own ? [...outer, { base, rules: own }] : outer;
  const found: string[] = [];
  for (const entry of await readdir(join(root, base), { withFileTypes: true })) {
    const path = `${base}${entry.name}`;
    if (isNever(path)) continue;
    if (ignoredBy(scopes, entry.isDirectory() ? `${path}/` : path)) continue;
    if (entry.isDirectory()) found.push(...(await walk(root, `${path}/`, scopes)));
    else found.push(path);
  }
  return found;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/**
 * The files of a project that belong into a deployment, as sorted paths with `/`: what Git tracks
 * or would track (elsewhere: what .gitignore files leave), without what .berthignore names.
 */
export async function listProjectFiles(dir: string): Promise<string[]> {
  const fromGit = await listWithGit(dir);
  // A folder its repository ignores has no file for Git; it is a project all the same.
  const listed = fromGit && fromGit.length > 0 ? fromGit : await walk(dir, "", []);
  const berthIgnore = await rulesIn(join(dir, ".berthignore"));
  const wanted = listed.filter((path) => !isNever(path) && !berthIgnore?.ignores(path));
  const present = await Promise.all(wanted.map((path) => exists(join(dir, path))));
  return wanted.filter((_, i) => present[i]).sort();
}
