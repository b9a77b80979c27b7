import type { SavedFiles } from "./find-files";
import type { FolderChanges } from "./keep-files";

/** What is saved once changes to it are. */
export function withChanges(saved: SavedFiles, { files, gone }: FolderChanges): SavedFiles {
  const now = new Map(saved);
  for (const path of gone) now.delete(path);
  for (const { path, ...file } of files) now.set(path, file);
  return now;
}
