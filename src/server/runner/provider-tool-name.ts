import { sha256Hex } from "../platform/crypto";

const MAX_LENGTH = 64;
const HASH_LENGTH = 16;
const KEPT = MAX_LENGTH - HASH_LENGTH - 1;

/** Every `_u` of a safe name begins an escape, so an authored one is escaped itself. */
const UNSAFE = /[^A-Za-z0-9_-]|_(?=u)|^[0-9-]/g;
const HASHED = new RegExp(`^.{${KEPT}}_[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * A name that every provider takes for a tool: letters, digits, `_` and `-`, at most 64, the first
 * no digit or `-`. Different names stay different: other characters become `_u<hex>_`; long
 * names, and those that look like it, end in a hash.
 */
export function providerToolName(name: string): string {
  const safe = name.replace(UNSAFE, (char) => `_u${char.charCodeAt(0).toString(16)}_`);
  if (safe.length <= MAX_LENGTH && !HASHED.test(safe)) return safe;
  return `${safe.slice(0, KEPT)}_${sha256Hex(name).slice(0, HASH_LENGTH)}`;
}
