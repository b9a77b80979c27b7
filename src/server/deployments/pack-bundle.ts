import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { create } from "tar";
import { BUNDLE_LIMITS } from "./archive-limits";
import { verifyTree } from "./verify-tree";

/** The part of a bundle's archive that its agent process sees, and the part that stays here. */
export const BUNDLE_PARTS = { app: "app", host: "host" };
/** Files of a build that are of no use to the agent process. */
const HOST_FILES = ["scan.json", "bundle.mjs.map"];

/**
 * Packs what a build left in `out`, as tar.gz: the same content gives the same bytes.
 * @throws AppError `invalid_archive` when the jail left anything but plain files.
 */
export async function packBundle(dir: string): Promise<Readable> {
  const out = join(dir, "out");
  await verifyTree(out, BUNDLE_LIMITS);
  const packed = join(dir, "packed");
  const host = join(packed, BUNDLE_PARTS.host);
  await mkdir(host, { recursive: true });
  for (const file of HOST_FILES) await rename(join(out, file), join(host, file));
  await rename(out, join(packed, BUNDLE_PARTS.app));
  const parts = Object.values(BUNDLE_PARTS);
  const pack = create({ cwd: packed, portable: true, noMtime: true, gzip: { level: 6 } }, parts);
  return Readable.from(pack as AsyncIterable<Buffer>);
}
