import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FolderEntry, ShellCall, ShellOutcome } from "../../protocol/shell-rpc";
import { fileRefusal } from "./refusal";
import type { Workspace } from "./workspace";

const MAX_ENTRIES = 1000;

function typeOf(entry: Dirent): FolderEntry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

async function describe(folder: string, entry: Dirent): Promise<FolderEntry[]> {
  try {
    const { size } = await lstat(join(folder, entry.name));
    return [{ name: entry.name, type: typeOf(entry), bytes: size }];
  } catch (error) {
    // It went away since the folder was read.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);

/** The entries of a folder by name. */
export async function listFolder(
  workspace: Workspace,
  { path: given = "." }: Extract<ShellCall, { kind: "ls" }>,
): Promise<ShellOutcome> {
  const path = await workspace.resolve(given);
  const found = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw fileRefusal(given, error);
  });
  const shown = found.sort(byName).slice(0, MAX_ENTRIES);
  const entries = await Promise.all(shown.map((entry) => describe(path, entry)));
  const truncated = found.length > shown.length;
  return { ok: true, kind: "ls", changed: false, entries: entries.flat(), truncated };
}
