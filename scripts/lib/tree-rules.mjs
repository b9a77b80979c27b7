import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { ROOT } from "./root.mjs";

const BANNED = /^(utils?|helpers?|common|misc|types?|services?|managers?)$/;
const SOURCE = /\.(tsx?|mjs)$/;
const TEST = /\.test(-d)?\.(tsx?|mjs)$/;
const LIMITS = { median: 80, p95: 220, max: 300, page: 80 };
const DOOR_LINES = { min: 3, max: 6 };

function sourcesBelow(folder) {
  const root = join(ROOT, folder);
  if (!statSync(root, { throwIfNoEntry: false })) return [];
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith("src/generated/"));
}

const linesOf = (path) => readFileSync(join(ROOT, path), "utf8").trimEnd().split("\n");

const foldersIn = (path) =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

/** Files and folders whose names say nothing. */
function namelessNames(paths) {
  return paths.flatMap((path) =>
    path
      .split("/")
      .map((part) => part.replace(SOURCE, ""))
      .filter((part) => BANNED.test(part))
      .map((part) => `${path}: "${part}" says nothing; name it after what it does`),
  );
}

/** Every folder has a place in the import rules, so that none escapes them. */
async function unrankedFolders() {
  const rules = await import("../../.dependency-cruiser.mjs");
  const ranked = new Set(rules.SERVER_RANKS.flat());
  const known = new Set(Object.keys(rules.PROCESS_IMPORTS));
  const server = foldersIn("src/server").filter((name) => !ranked.has(name));
  return [
    ...foldersIn("src")
      .filter((name) => !known.has(name))
      .map((name) => `src/${name} has no row in PROCESS_IMPORTS (.dependency-cruiser.mjs)`),
    ...server.map((name) => `src/server/${name} has no rank (.dependency-cruiser.mjs)`),
  ];
}

/** A module's door opens by saying what it owns and what it never does. */
function silentDoors(paths) {
  return paths
    .filter((path) => /^src\/server\/(?!platform\/)[^/]+\/index\.ts$/.test(path))
    .flatMap((path) => {
      const lines = linesOf(path);
      const end = lines.findIndex((line) => !/^\s*(\/\/|\/\*|\*)/.test(line));
      const count = lines.slice(0, end).filter((line) => /[a-z]/i.test(line)).length;
      const fits = count >= DOOR_LINES.min && count <= DOOR_LINES.max;
      return fits ? [] : [`${path}: opens with ${count} comment lines, wanted 3 to 6`];
    });
}

/** Sizes as the design sets them: single files, pages, and the whole distribution. */
function oversized(paths) {
  const counted = paths
    .filter((path) => !TEST.test(path))
    .map((path) => [path, linesOf(path).length]);
  const limitOf = (path) => (basename(path) === "page.tsx" ? LIMITS.page : LIMITS.max);
  const single = counted
    .filter(([path, lines]) => lines > limitOf(path))
    .map(([path, lines]) => `${path}: ${lines} lines, at most ${limitOf(path)}`);
  const sorted = counted.map(([, lines]) => lines).sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const spread = [
    ["median", at(0.5), LIMITS.median],
    ["95th percentile", at(0.95), LIMITS.p95],
  ];
  const wide = spread
    .filter(([, lines, limit]) => lines > limit)
    .map(([name, lines, limit]) => `${name} of file lengths is ${lines}, at most ${limit}`);
  return [...single, ...wide];
}

/** Everything about the tree that no other tool checks, as one line per finding. */
export async function treeFindings() {
  const sources = sourcesBelow("src");
  const all = [...sources, ...sourcesBelow("scripts"), ...sourcesBelow("tests/support")];
  return [
    ...namelessNames(all),
    ...(await unrankedFolders()),
    ...silentDoors(sources),
    ...oversized([...sources, ...sourcesBelow("scripts")]),
  ];
}
