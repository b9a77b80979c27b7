import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Id } from "../../protocol/id";
import { sha256 } from "../platform/crypto";
import { fromBase62, toBase62 } from "./base62";

/** Digits of a typeid's suffix: 128 bits as 26 characters. */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_DIGITS = 22;
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const TOKEN = /^bth_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const MAX_ID = 2n ** 128n;

/** What an API key says: which row it belongs to, and the hash its secret must have. */
export interface ApiKeyToken {
  keyId: Id<"key">;
  hash: Buffer;
}

function idToNumber(id: Id<"key">): bigint {
  let value = 0n;
  for (const digit of id.slice("key_".length)) value = value * 32n + BigInt(BASE32.indexOf(digit));
  return value;
}

function numberToId(value: bigint): Id<"key"> {
  let suffix = "";
  let rest = value;
  for (let i = 0; i < 26; i += 1, rest /= 32n) suffix = BASE32.charAt(Number(rest % 32n)) + suffix;
  return `key_${suffix}`;
}

const checksum = (text: string): string => toBase62(BigInt(crc32(text)), CHECKSUM_DIGITS);

/** Makes the token of a key row. It is shown once; only its hash is kept. */
export function newApiKeyToken(keyId: Id<"key">): { token: string; hash: Buffer } {
  const secret = toBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`), SECRET_DIGITS);
  const body = `bth_${toBase62(idToNumber(keyId), ID_DIGITS)}_${secret}`;
  return { token: body + checksum(body), hash: sha256(secret) };
}

/** Reads a token without any look-up; `undefined` for one that is mistyped or no API key. */
export function parseApiKeyToken(token: string): ApiKeyToken | undefined {
  const [, id, secret, sum] = TOKEN.exec(token) ?? [];
  if (!id || !secret || sum !== checksum(`bth_${id}_${secret}`)) return undefined;
  const number = fromBase62(id);
  return number < MAX_ID ? { keyId: numberToId(number), hash: sha256(secret) } : undefined;
}
