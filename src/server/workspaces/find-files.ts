import { sha256Hex } from "../platform/crypto";
import { now } from "../platform/platform";
import type { Folder } from "./folder";
import { hashBytes } from "./hash-bytes";
import { staysInside } from "./path-rules";
import { readEntry, readTarget } from "./read-entry";
import type { Known } from "./restore-tree";
import { FOLDER_MODE, LINK_MODE, plainMode, type SavedFile } from "./saved-file";
import { type SeenFile, scanTree } from "./scan-tree";
import { isUntouched, stampOf } from "./stamp";
import { isDenied } from "./unless-missing";
import { withEntry } from "./with-entry";

/** How much of a folder is saved. */
export interface Quota {
  bytes: number;
  files: number;
}

export type SavedFiles = ReadonlyMap<string, SavedFile>;

export interface FoundFiles {
  /** The files that can be saved, as they are now. */
  files: Map<string, SavedFile>;
  /** Saved files that stay as they were saved: they outgrew the quota, or cannot be read. */
  stay: Set<string>;
  /** Paths that are not saved as they are, each with the reason. */
  unsaved: string[];
  /** Whether everything was looked at; if not, a saved path that was not found may still be there. */
  complete: boolean;
  /** What is known of the files on the disk now. */
  known: Known;
}

/** What a folder was when it was last looked at. */
export interface Before {
  saved: SavedFiles;
  known: Known;
  quota: Quota;
}

/**
 * Finds what a folder holds. Files that were not touched since the last look are not read.
 * What does not fit is left out and named; files that were saved before come first.
 */
export async function findFiles(root: Folder, before: Before): Promise<FoundFiles> {
  const { seen, unsaved, complete } = await scanTree(root);
  const found: FoundFiles = {
    files: new Map(),
    stay: new Set(),
    unsaved,
    complete,
    known: new Map(),
  };
  const room = { ...before.quota };
  const leave = (path: string, reason: string) => {
    unsaved.push(`${path} (${reason})`);
    if (before.saved.has(path)) found.stay.add(path);
  };
  for (const file of savedFirst(seen, before.saved)) {
    const { path, stat } = file;
    if (!takeRoom(room, Number(stat.size))) {
      leave(path, "over the limit");
      continue;
    }
    try {
      const current = await currentFile(root, file, before.known, found);
      if (current) found.files.set(path, current);
    } catch (error) {
      if (!isDenied(error)) throw error;
      leave(path, "it cannot be read");
    }
  }
  return found;
}

function savedFirst(seen: SeenFile[], saved: SavedFiles): SeenFile[] {
  const isSaved = ({ path }: SeenFile) => saved.has(path);
  return [...seen.filter(isSaved), ...seen.filter((file) => !isSaved(file))];
}

function takeRoom(room: Quota, bytes: number): boolean {
  if (room.files < 1 || room.bytes < bytes) return false;
  room.files -= 1;
  room.bytes -= bytes;
  return true;
}

async function currentFile(
  root: Folder,
  { path, stat }: SeenFile,
  known: Known,
  found: FoundFiles,
): Promise<SavedFile | undefined> {
  if (stat.isDirectory()) return { sha256: null, size: 0, mode: FOLDER_MODE };
  if (stat.isSymbolicLink()) return await currentLink(root, path, found);
  const before = known.get(path);
  if (before && isUntouched(before.stamp, stat)) {
    found.known.set(path, before);
    return before.file;
  }
  const takenMs = now().getTime();
  return await withEntry(root, path, (entry) =>
    readEntry(entry, async ({ bytes, stat: opened }) => {
      const { sha256, size } = await hashBytes(bytes);
      const file = { sha256, size, mode: plainMode(Number(opened.mode)) };
      found.known.set(path, { file, stamp: stampOf(opened, takenMs) });
      return file;
    }),
  );
}

async function currentLink(
  root: Folder,
  path: string,
  { unsaved }: FoundFiles,
): Promise<SavedFile | undefined> {
  const target = await withEntry(root, path, readTarget);
  if (target === undefined) return undefined;
  if (!staysInside(path, target)) {
    unsaved.push(`${path} (a link that leaves the workspace)`);
    return undefined;
  }
  return { sha256: sha256Hex(target), size: Buffer.byteLength(target), mode: LINK_MODE };
}
