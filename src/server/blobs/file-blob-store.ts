import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../platform/errors";
import {
  BlobMissing,
  type BlobRef,
  type BlobStore,
  type ByteSource,
  type PutOptions,
} from "./blob-store";

const SHA256 = /^[0-9a-f]{64}$/;

/** A holder's name is a folder: it must not be one of the store's own, nor lead out of it. */
const HOLDER = /^[a-z]+_[A-Za-z0-9]{1,80}$/;

/**
 * Blobs as files: `<folder>/ab/cdef…`, and `<folder>/<holder>/ab/cdef…` for those of a holder;
 * written beside and renamed, so that a file is always whole.
 */
export function createFileBlobStore(folder: string): BlobStore {
  const holderFolder = (holder: string): string => {
    if (!HOLDER.test(holder)) throw new Error(`not a holder of blobs: ${holder}`);
    return join(folder, holder);
  };
  const pathOf = (sha256: string, holder = ""): string => {
    if (!SHA256.test(sha256)) throw new BlobMissing(sha256);
    const base = holder === "" ? folder : holderFolder(holder);
    return join(base, sha256.slice(0, 2), sha256.slice(2));
  };
  return {
    put: (source, options) => put(folder, pathOf, source, options),
    open: async (sha256, holder, range) =>
      (await openFile(sha256, pathOf(sha256, holder))).createReadStream(range),
    has: async (sha256, holder) => await exists(pathOf(sha256, holder)),
    remove: async (sha256, holder) => await rm(pathOf(sha256, holder), { force: true }),
    removeHolder: async (holder) =>
      await rm(holderFolder(holder), { recursive: true, force: true }),
  };
}

async function put(
  folder: string,
  pathOf: (sha256: string, holder?: string) => string,
  source: ByteSource,
  options: PutOptions,
): Promise<BlobRef> {
  const temporary = join(folder, "incoming", randomUUID());
  await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
  try {
    const blob = await write(temporary, source, options);
    const path = pathOf(blob.sha256, options.holder);
    if (await exists(path)) return blob;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return blob;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function write(
  path: string,
  source: ByteSource,
  { maxBytes, sha256: expected }: PutOptions,
): Promise<BlobRef> {
  const hash = createHash("sha256");
  let size = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new AppError("body_too_large", `At most ${maxBytes} bytes.`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const sha256 = hash.digest("hex");
  if (expected !== undefined && expected !== sha256) {
    throw new AppError("invalid_request", `The bytes have SHA-256 ${sha256}, not ${expected}.`);
  }
  return { sha256, size };
}

/** A rename survives a power cut once the folder is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

async function openFile(sha256: string, path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isMissing(error)) throw new BlobMissing(sha256, { cause: error });
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
