import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BlobMissing, type BlobStore, createFileBlobStore } from "../../../src/server/blobs";
import { sha256Hex } from "../../../src/server/platform/crypto";

const LIMIT = { maxBytes: 8 * 1024 * 1024 };

function* chunks(...parts: Uint8Array[]) {
  for (const part of parts) yield part;
}

/** What every implementation of the port keeps; one line per implementation below. */
function contract(name: string, open: (folder: string) => BlobStore) {
  describe(name, () => {
    let folder: string;
    let store: BlobStore;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "berth-blobs-"));
      store = open(folder);
    });
    afterEach(() => rm(folder, { recursive: true }));

    test("gives back the bytes it was given, by their SHA-256", async () => {
      const bytes = randomBytes(3_000_000);
      const parts = chunks(bytes.subarray(0, 1000), bytes.subarray(1000));
      const blob = await store.put(parts, LIMIT);
      expect(blob).toEqual({ sha256: sha256Hex(bytes), size: bytes.length });
      expect(await store.has(blob.sha256)).toBe(true);
      expect((await buffer(await store.open(blob.sha256))).equals(bytes)).toBe(true);
    });

    test("keeps the empty blob", async () => {
      const blob = await store.put(chunks(), LIMIT);
      expect(blob).toEqual({ sha256: sha256Hex(""), size: 0 });
      expect(await buffer(await store.open(blob.sha256))).toHaveLength(0);
    });

    test("takes the same bytes many times at once", async () => {
      const bytes = randomBytes(100_000);
      const blobs = await Promise.all(
        Array.from({ length: 20 }, () => store.put(chunks(bytes), LIMIT)),
      );
      expect(new Set(blobs.map(({ sha256 }) => sha256)).size).toBe(1);
      expect((await buffer(await store.open(sha256Hex(bytes)))).equals(bytes)).toBe(true);
    });

    test("refuses more bytes than allowed, while they come, and keeps nothing", async () => {
      let produced = 0;
      function* endless() {
        for (;;) {
          produced += 1000;
          yield Buffer.alloc(1000);
        }
      }
      await expect(store.put(endless(), { maxBytes: 10_000 })).rejects.toMatchObject({
        code: "body_too_large",
      });
      expect(produced).toBe(11_000);
      expect(await store.has(sha256Hex(Buffer.alloc(10_000)))).toBe(false);
    });

    test("refuses bytes of another SHA-256 and keeps nothing", async () => {
      const expected = { ...LIMIT, sha256: sha256Hex("expected") };
      await expect(store.put(chunks(Buffer.from("other")), expected)).rejects.toMatchObject({
        code: "invalid_request",
      });
      expect(await store.has(sha256Hex("other"))).toBe(false);
    });

    test("keeps nothing of a source that breaks", async () => {
      function* breaking() {
        yield Buffer.from("half");
        throw new Error("the connection broke");
      }
      await expect(store.put(breaking(), LIMIT)).rejects.toThrow("the connection broke");
      expect(await store.has(sha256Hex("half"))).toBe(false);
      const left = await readdir(folder, { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => entry.isFile())).toEqual([]);
    });

    test("says so when a blob is not there, and for names that are none", async () => {
      for (const sha256 of [sha256Hex("nothing"), "../../../../etc/passwd", "", "AB".repeat(32)]) {
        await expect(store.open(sha256)).rejects.toThrow(BlobMissing);
      }
    });

    test("keeps a holder's blobs apart from everybody else's", async () => {
      const bytes = Buffer.from("of a session");
      const { sha256 } = await store.put(chunks(bytes), { ...LIMIT, holder: "ses_1" });
      expect(await buffer(await store.open(sha256, "ses_1"))).toEqual(bytes);
      for (const other of [undefined, "ses_2"]) {
        expect(await store.has(sha256, other)).toBe(false);
        await expect(store.open(sha256, other)).rejects.toThrow(BlobMissing);
      }
    });

    test("erases all of one holder, and nothing of another", async () => {
      const put = (text: string, holder?: string) =>
        store.put(chunks(Buffer.from(text)), { ...LIMIT, holder });
      const shared = (await put("shared", "ses_1")).sha256;
      const second = (await put("second", "ses_1")).sha256;
      await put("shared", "ses_2");
      await put("shared");
      await store.removeHolder("ses_1");
      await store.removeHolder("ses_1");
      expect(await store.has(shared, "ses_1")).toBe(false);
      expect(await store.has(second, "ses_1")).toBe(false);
      expect(await store.has(shared, "ses_2")).toBe(true);
      expect(await store.has(shared)).toBe(true);
    });

    test("refuses holders that lead elsewhere", async () => {
      for (const holder of ["ab", "incoming", "../ses_1", "ses_1/..", "ses_"]) {
        const options = { ...LIMIT, holder };
        await expect(store.put(chunks(Buffer.from("x")), options)).rejects.toThrow("not a holder");
        await expect(store.removeHolder(holder)).rejects.toThrow("not a holder");
      }
    });

    test("removes a blob, twice if asked", async () => {
      const { sha256 } = await store.put(chunks(Buffer.from("gone")), LIMIT);
      await store.remove(sha256);
      await store.remove(sha256);
      expect(await store.has(sha256)).toBe(false);
    });
  });
}

contract("files", createFileBlobStore);
