import { join, resolve } from "node:path";
import { platform } from "../platform/platform";
import type { BlobStore } from "./blob-store";
import { createFileBlobStore } from "./file-blob-store";

/** The process's blob store: files below the state folder. */
export const store = (): BlobStore =>
  createFileBlobStore(join(resolve(platform().env.BERTH_STATE_DIR), "blobs"));
