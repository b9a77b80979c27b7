/** Accepted for projects that chose a store themselves; storage is Berth's own. */
export interface StorageBackend {
  readonly backend?: string;
}

export interface StorageDefinition {
  name: string;
}

export interface StorageSpec {
  name: string;
  policy?:
    | {
        debounceMs?: number | undefined;
        restore?: { maxSessions?: number | undefined; maxAgeMs?: number | undefined } | undefined;
      }
    | undefined;
}

/** Accepted and without effect. */
export const defineStorage = (definition: StorageSpec & StorageBackend): StorageDefinition =>
  definition;
