import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { openBlob } from "../blobs";
import { now } from "../platform/platform";
import { BUNDLE_LIMITS } from "./archive-limits";
import { extractArchive } from "./extract-archive";
import { BUNDLE_PARTS } from "./pack-bundle";

const KEPT_BUNDLES = 256;
/** Longer than an idle process lives, so that no bundle goes while a process reads it. */
const IN_USE_MS = 60 * 60_000;

const isTaken = (error: unknown): boolean =>
  ["EEXIST", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Bundles of versions as folders of this worker, unpacked once and kept while they are used. */
export class BundleCache {
  readonly #dir: string;
  readonly #ready = new Map<string, Promise<string>>();
  readonly #usedAt = new Map<string, number>();

  /** @param dir a folder of this process alone, readable by the sandboxes' users */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Folder with the bundle's `app` and `host` parts. @throws AppError `not_found`. */
  folder(orgId: string, sha256: string): Promise<string> {
    const key = `${orgId}-${sha256}`;
    this.touch(orgId, sha256);
    const known = this.#ready.get(key);
    if (known !== undefined) return known;
    const unpacked = this.#unpack(orgId, sha256, join(this.#dir, key));
    this.#ready.set(key, unpacked);
    unpacked.then(
      () => this.#evict(),
      () => this.#ready.delete(key),
    );
    return unpacked;
  }

  /** Says that a process may still read the bundle. */
  touch(orgId: string, sha256: string): void {
    this.#usedAt.set(`${orgId}-${sha256}`, now().getTime());
  }

  async #unpack(orgId: string, sha256: string, folder: string): Promise<string> {
    await mkdir(this.#dir, { recursive: true, mode: 0o755 });
    const incoming = await mkdtemp(join(this.#dir, "incoming-"));
    try {
      const inside = join(incoming, "bundle");
      await mkdir(inside, { mode: 0o755 });
      const { stream } = await openBlob(orgId, sha256);
      await extractArchive(stream, inside, BUNDLE_LIMITS);
      await rename(inside, folder);
    } catch (error) {
      if (!isTaken(error)) throw error;
    } finally {
      await rm(incoming, { recursive: true, force: true });
    }
    return folder;
  }

  async #evict(): Promise<void> {
    const surplus = this.#ready.size - KEPT_BUNDLES;
    if (surplus <= 0) return;
    const idleSince = now().getTime() - IN_USE_MS;
    const oldest = [...this.#ready.keys()]
      .map((key) => ({ key, at: this.#usedAt.get(key) ?? 0 }))
      .filter(({ at }) => at < idleSince)
      .sort((a, b) => a.at - b.at)
      .slice(0, surplus);
    for (const { key } of oldest) {
      this.#ready.delete(key);
      this.#usedAt.delete(key);
      await rm(join(this.#dir, key), { recursive: true, force: true });
    }
  }

  /** Removes what an earlier process of this folder left. Before the first use only. */
  async clear(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o755 });
    for (const name of await readdir(this.#dir)) {
      await rm(join(this.#dir, name), { recursive: true, force: true });
    }
  }
}

export const appFolder = (folder: string): string => join(folder, BUNDLE_PARTS.app);
export const hostFolder = (folder: string): string => join(folder, BUNDLE_PARTS.host);
