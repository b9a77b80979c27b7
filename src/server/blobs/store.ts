import { join, resolve } from "node:path";
import { platform } from "../platform/platform";
import type { BlobStore } from "./blob-store";
import { createFileBlobStore } from "./file-blob-store";

/** Where the blobs of this installation are. */
export const blobFolder = (): string => join(resolve(platform().env.BERTH_STATE_DIR), "blobs");

/** The process's blob store: files below the state folder. */
export const store = (): BlobStore => createFileBlobStore(blobFolder());
