import type { BlobBatch } from "../blobs";
import type { FoundFiles, SavedFiles } from "./find-files";
import type { Folder } from "./folder";
import { readEntry, readTarget } from "./read-entry";
import { isLink, type SavedFile, sameFile } from "./saved-file";
import { sideBySide } from "./side-by-side";
import { withEntry } from "./with-entry";

/** What is new in a folder, and what is no more, beside what is saved of it. */
export interface FolderChanges {
  files: ({ path: string } & SavedFile)[];
  gone: string[];
}

/**
 * Keeps the bytes of found files that differ from what is saved, and notes them as held. A file
 * that changed once more since it was found is kept as it is by now.
 */
export async function keepFiles(
  root: Folder,
  found: FoundFiles,
  saved: SavedFiles,
  blobs: BlobBatch,
): Promise<FolderChanges> {
  const files: FolderChanges["files"] = [];
  await sideBySide([...found.files], async ([path, file]) => {
    const old = saved.get(path);
    if (old && sameFile(old, file)) return;
    const kept = await keepFile(root, path, file, blobs);
    if (kept) files.push({ path, ...kept });
    else found.files.delete(path);
  });
  await blobs.note();
  const isGone = (path: string) => !found.files.has(path) && !found.stay.has(path);
  return { files, gone: found.complete ? [...saved.keys()].filter(isGone) : [] };
}

async function keepFile(
  root: Folder,
  path: string,
  file: SavedFile,
  blobs: BlobBatch,
): Promise<SavedFile | undefined> {
  if (file.sha256 === null) return file;
  if (isLink(file)) {
    const target = await withEntry(root, path, readTarget);
    if (target === undefined) return undefined;
    const bytes = Buffer.from(target);
    return { ...file, ...(await blobs.put([bytes], bytes.length)) };
  }
  return await withEntry(root, path, (entry) =>
    readEntry(entry, async ({ bytes, stat }) => ({
      ...file,
      ...(await blobs.put(bytes, Number(stat.size))),
    })),
  );
}
