import type { Readable } from "node:stream";
import { store } from "./store";

/**
 * A blob of a holder that a row of the holder's own org names: who holds it is not asked again.
 * @throws BlobMissing
 */
export const openKnownBlob = (sha256: string, holder: string): Promise<Readable> =>
  store().open(sha256, holder);
