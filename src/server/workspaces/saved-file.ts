import { constants } from "node:fs";

/** A file of a workspace as rows keep it. */
export interface SavedFile {
  /** SHA-256 of the bytes, or of a link's target; null for a folder that is empty. */
  sha256: string | null;
  /** In bytes. */
  size: number;
  /** Kind and permissions, as `stat` has them. */
  mode: number;
}

export const isLink = ({ mode }: Pick<SavedFile, "mode">): boolean =>
  (mode & constants.S_IFMT) === constants.S_IFLNK;

/** Mode of a plain file with these permissions; set-user-id and the like are dropped. */
export const plainMode = (permissions: number): number => constants.S_IFREG | (permissions & 0o777);

export const LINK_MODE = constants.S_IFLNK | 0o777;
export const FOLDER_MODE = constants.S_IFDIR | 0o755;

export const sameFile = (a: SavedFile, b: SavedFile): boolean =>
  a.sha256 === b.sha256 && a.mode === b.mode && a.size === b.size;
