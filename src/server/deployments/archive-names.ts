import { AppError } from "../platform/errors";

const MAX_PATH_BYTES = 1_024;
const MAX_SEGMENT_BYTES = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const FOREIGN = /[\\\u0000-\u001f\u007f]|^[A-Za-z]:/;

export type EntryKind = "file" | "directory";

/** An archive is refused as a whole, and the answer names the entry that is why. */
export const archiveError = (entry: string, reason: string): AppError =>
  new AppError("invalid_archive", `The archive's entry ${JSON.stringify(entry)} ${reason}.`, {
    details: { entry },
  });

/** The segments of an entry's path. @throws AppError `invalid_archive` for a path that may escape. */
export function entrySegments(path: string): string[] {
  if (path.startsWith("/")) throw archiveError(path, "has an absolute path");
  if (FOREIGN.test(path)) throw archiveError(path, "has a character no path may hold");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw archiveError(path, "has too long a path");
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  for (const segment of segments) {
    if (segment === "..") throw archiveError(path, "leads outside the project");
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      throw archiveError(path, "has too long a name");
  }
  return segments;
}

/** The names an archive has used so far, as a file system that ignores case would see them. */
export class ArchiveNames {
  readonly #seen = new Map<string, { name: string; kind: EntryKind }>();
  #directories = 0;

  /** Directories claimed so far, those that only a deeper entry names among them. */
  get directories(): number {
    return this.#directories;
  }

  /** Claims a name and its parents. @throws AppError `invalid_archive` when they clash. */
  claim(segments: string[], kind: EntryKind): void {
    for (let depth = 1; depth < segments.length; depth++) {
      this.#claimOne(segments.slice(0, depth).join("/"), "directory");
    }
    this.#claimOne(segments.join("/"), kind);
  }

  #claimOne(name: string, kind: EntryKind): void {
    const key = name.normalize("NFKC").toLowerCase();
    const before = this.#seen.get(key);
    if (!before) {
      this.#seen.set(key, { name, kind });
      if (kind === "directory") this.#directories++;
    } else if (before.name !== name) {
      throw archiveError(name, `differs from ${JSON.stringify(before.name)} in case only`);
    } else if (before.kind !== kind) {
      throw archiveError(name, "is both a file and a directory");
    } else if (kind === "file") {
      throw archiveError(name, "is there twice");
    }
  }
}
