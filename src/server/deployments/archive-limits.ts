/** What an archive may hold; every size in bytes. */
export interface ArchiveLimits {
  unpackedBytes: number;
  files: number;
}

/** Largest upload (SPEC 11). */
export const MAX_PACKED_BYTES = 25 * 1024 * 1024;

/** Limits of a project as it is uploaded (SPEC 11). */
export const SOURCE_LIMITS: ArchiveLimits = { unpackedBytes: 100 * 1024 * 1024, files: 5_000 };

/** Limits of what a build makes of it: the project once more, the bundle, its map. */
export const BUNDLE_LIMITS: ArchiveLimits = { unpackedBytes: 300 * 1024 * 1024, files: 6_000 };
