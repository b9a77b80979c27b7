import type { Folder } from "./folder";
import { isKeepablePath } from "./path-rules";
import { isDenied } from "./unless-missing";
import { type TreeEntry, walkTree } from "./walk-tree";

/** A file, a link or an empty folder that could be saved. */
export type SeenFile = Pick<TreeEntry, "path" | "stat">;

export interface Scan {
  seen: SeenFile[];
  /** What can never be saved: a path each, and why. */
  unsaved: string[];
  /** Whether everything was looked at; if not, a path that is missing need not be gone. */
  complete: boolean;
}

/** Entries that are looked at: enough to tell everything over the quota from a mere few too many. */
const MAX_SEEN = 100_000;

/** Lists what a workspace holds, without reading a file or following a link. */
export async function scanTree(root: Folder): Promise<Scan> {
  const files: SeenFile[] = [];
  const folders: SeenFile[] = [];
  const filled = new Set<string>();
  const unsaved: string[] = [];
  let looked = 0;
  const visit = ({ path, stat }: TreeEntry): boolean => {
    if (++looked > MAX_SEEN) return false;
    filled.add(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
    if (!isKeepablePath(path)) {
      unsaved.push(`${path.slice(0, 200)} (its name cannot be kept)`);
      return false;
    }
    if (stat.isDirectory()) folders.push({ path, stat });
    else if (stat.isFile() || stat.isSymbolicLink()) files.push({ path, stat });
    else unsaved.push(`${path} (neither a file nor a link)`);
    return stat.isDirectory();
  };
  const open = await walkTree(root, (entry) => Promise.resolve(visit(entry))).then(
    () => true,
    (error: unknown) => {
      if (!isDenied(error)) throw error;
      unsaved.push("what is in folders that cannot be read");
      return false;
    },
  );
  const empty = folders.filter(({ path }) => !filled.has(path));
  const complete = open && looked <= MAX_SEEN;
  if (looked > MAX_SEEN) unsaved.push("much of it, for there are far too many files");
  return { seen: complete ? [...files, ...empty] : files, unsaved, complete };
}
