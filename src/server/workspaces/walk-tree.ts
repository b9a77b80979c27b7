import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import type { Folder } from "./folder";
import { unlessMissing } from "./unless-missing";

export interface TreeEntry {
  /** Relative to the workspace, with `/`. */
  path: string;
  name: string;
  stat: BigIntStats;
  /** The open folder that holds it. */
  folder: Folder;
}

/** What a walk does with an entry; for a folder, `true` goes on into it. */
export type Visit = (entry: TreeEntry) => Promise<boolean>;

const BATCH = 64;

/**
 * Visits all of an open folder without following a link. Entries that vanish are left out.
 * @throws what the disk says, such as EACCES for a folder that the guest has shut
 */
export async function walkTree(folder: Folder, visit: Visit, base = ""): Promise<void> {
  const names = (await folder.names()).sort();
  for (let i = 0; i < names.length; i += BATCH) {
    const batch = names.slice(i, i + BATCH);
    const stats = await Promise.all(batch.map((name) => statOf(folder, name)));
    for (const [at, name] of batch.entries()) {
      const stat = stats[at];
      if (stat) await visitEntry({ path: `${base}${name}`, name, stat, folder }, visit);
    }
  }
}

async function visitEntry(entry: TreeEntry, visit: Visit): Promise<void> {
  const goOn = await visit(entry);
  if (!goOn || !entry.stat.isDirectory()) return;
  const inner = await entry.folder.inner(entry.name).catch(unlessMissing);
  await inner?.use((folder) => walkTree(folder, visit, `${entry.path}/`));
}

const statOf = (folder: Folder, name: string): Promise<BigIntStats | undefined> =>
  lstat(folder.at(name), { bigint: true }).catch(unlessMissing);
