import type { StorageBackend } from "./index";

/** Accepted and without effect. */
export const fileKv = (): StorageBackend => ({ backend: "file-kv" });
