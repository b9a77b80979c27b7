import { sha256Hex } from "../platform/crypto";

const MAX_LENGTH = 64;
const UNSAFE = /[^A-Za-z0-9_-]|_(?=u[0-9a-f]+_)/g;

/**
 * A name that every provider takes for a tool: letters, digits, `_` and `-`, at most 64. Different
 * names stay different: other characters become `_u<hex>_`, and long names end in a hash.
 */
export function providerToolName(name: string): string {
  const safe = name.replace(UNSAFE, (char) => `_u${(char.codePointAt(0) ?? 0).toString(16)}_`);
  if (safe.length <= MAX_LENGTH) return safe;
  return `${safe.slice(0, MAX_LENGTH - 17)}_${sha256Hex(name).slice(0, 16)}`;
}
