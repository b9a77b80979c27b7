import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { AppError } from "../platform/errors";
import type { ArchiveLimits } from "./archive-limits";
import { ArchiveNames, archiveError, type EntryKind, entrySegments } from "./archive-names";
import { verifyTree } from "./verify-tree";

/** Room for the headers and padding of every entry, beside the bytes of the files. */
const OVERHEAD_BYTES_PER_FILE = 8_192;

const KINDS: Partial<Record<string, EntryKind>> = {
  File: "file",
  OldFile: "file",
  ContiguousFile: "file",
  Directory: "directory",
  GNUDumpDir: "directory",
};

const tooLarge = (limits: ArchiveLimits): AppError =>
  new AppError(
    "invalid_archive",
    `The archive unpacks to more than ${limits.unpackedBytes} bytes.`,
  );

/** Decides entry by entry what may be written, and where. */
class EntryGate {
  readonly #names = new ArchiveNames();
  readonly #limits: ArchiveLimits;
  #files = 0;
  #directories = 0;
  #bytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  /** @throws AppError `invalid_archive` naming the entry. */
  admit(entry: ReadEntry): { segments: string[]; kind: EntryKind } {
    const { path } = entry;
    const kind = KINDS[entry.type];
    if (!kind) throw archiveError(path, `is neither a file nor a directory (${entry.type})`);
    const segments = entrySegments(path);
    if (segments.length === 0 && kind === "file") throw archiveError(path, "has no name");
    if (segments.length > 0) this.#names.claim(segments, kind);
    this.#count(path, kind, entry.size);
    return { segments, kind };
  }

  #count(path: string, kind: EntryKind, size: number): void {
    if (kind === "file") this.#files++;
    else this.#directories++;
    this.#bytes += size;
    const { files, unpackedBytes } = this.#limits;
    if (Math.max(this.#files, this.#directories, this.#names.directories) > files) {
      throw archiveError(path, `takes the archive over ${files} files or folders`);
    }
    if (this.#bytes > unpackedBytes) {
      throw archiveError(path, `takes the archive over ${unpackedBytes} bytes`);
    }
  }
}

const isGzip = (chunk: Buffer): boolean => chunk[0] === 0x1f && (chunk[1] ?? 0x8b) === 0x8b;

/** Stops a stream of unpacked bytes at the limit, whatever its headers say. */
function limitUnpacked(limits: ArchiveLimits): Transform {
  const most = limits.unpackedBytes + limits.files * OVERHEAD_BYTES_PER_FILE;
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // The parser would unpack a second layer by itself, past this limit.
      if (seen === 0 && isGzip(chunk)) {
        done(new AppError("invalid_archive", "The archive is compressed twice."));
        return;
      }
      seen += chunk.length;
      if (seen > most) done(tooLarge(limits));
      else done(null, chunk);
    },
  });
}

async function writeEntry(
  entry: ReadEntry,
  target: { directory: string; segments: string[]; kind: EntryKind },
): Promise<void> {
  const path = join(target.directory, ...target.segments);
  if (target.kind === "directory") {
    await mkdir(path, { recursive: true, mode: 0o755 });
    entry.resume();
    return;
  }
  await mkdir(join(path, ".."), { recursive: true, mode: 0o755 });
  // `wx` never follows or replaces anything: each name of the fresh directory is written once.
  const file = await open(path, "wx", 0o644);
  try {
    if (entry.destroyed) return;
    for await (const chunk of entry) {
      await file.writeFile(chunk);
      if (entry.destroyed) return; // nothing more comes, and nobody says so
    }
  } finally {
    await file.close();
  }
}

/** A tar parser as a stream of Node's, each entry written before the next is read. */
function unpackInto(directory: string, gate: EntryGate): Writable {
  const parser = new Parser({ strict: true, brotli: false, zstd: false });
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (ended || parser.write(chunk)) done();
      else parser.once("drain", () => done());
    },
    final(done) {
      parser.once("end", () => written.then(() => done(), done));
      parser.end();
    },
    destroy(error, done) {
      // What is being written waits for bytes that will not come, with its file open. The parser
      // may still hand it what it has read already, which is then an error of no interest.
      current?.on("error", () => undefined).destroy();
      const end = () => done(error);
      written.then(end, end);
    },
  });
  const fail = (error: unknown) => void sink.destroy(error as Error);
  let written: Promise<void> = Promise.resolve();
  let current: ReadEntry | undefined;
  let ended = false;
  const accept = (entry: ReadEntry) => {
    current = entry;
    try {
      const admitted = gate.admit(entry);
      written = written.then(() => writeEntry(entry, { directory, ...admitted }));
      written.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  // What follows the archive's end mark is padding, however much of it there is.
  parser.on("eof", () => {
    ended = true;
  });
  parser.on("entry", accept).on("ignoredEntry", accept).on("error", fail);
  return sink;
}

const asArchiveError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  const { message } = error as Error;
  return new AppError("invalid_archive", `The upload is not a whole tar.gz archive: ${message}.`, {
    cause: error,
  });
};

/** System errors are the host's trouble, not the archive's. */
const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException).errno === "number" &&
  (error as NodeJS.ErrnoException).syscall !== undefined;

/**
 * Unpacks a tar.gz of untrusted origin into an empty directory: regular files and directories
 * only, within the limits, and looks at the result once more.
 * @throws AppError `invalid_archive` that names the entry; what was written stays for the caller
 * to remove.
 */
export async function extractArchive(
  archive: Readable,
  directory: string,
  limits: ArchiveLimits,
): Promise<void> {
  const sink = unpackInto(directory, new EntryGate(limits));
  const closed = new Promise((resolve) => sink.once("close", resolve));
  try {
    await pipeline(archive, createGunzip(), limitUnpacked(limits), sink);
  } catch (error) {
    await closed; // and with it the file that was being written
    throw isSystemError(error) ? error : asArchiveError(error);
  }
  await verifyTree(directory, limits);
}
