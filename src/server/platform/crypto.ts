import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const sha256 = (data: string | Uint8Array): Buffer =>
  createHash("sha256").update(data).digest();

export const sha256Hex = (data: string | Uint8Array): string => sha256(data).toString("hex");

export const hmacSha256 = (key: string | Uint8Array, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

/** Compares two byte strings in constant time; different lengths are unequal. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

/** Random base62 text of `length` characters (5.95 bits each), without modulo bias. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/**
 * Seals bytes with AES-256-GCM under a 32-byte key. The additional data is not stored:
 * opening needs the same, so a sealed value cannot be moved to another place.
 * @returns nonce (12 bytes), tag (16 bytes), ciphertext.
 */
export function seal(key: Uint8Array, plaintext: Uint8Array, additionalData: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(additionalData));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Opens what `seal` made. @throws Error when the key, the data or the additional data differ. */
export function unseal(key: Uint8Array, sealed: Uint8Array, additionalData: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce)
    .setAAD(Buffer.from(additionalData))
    .setAuthTag(tag);
  return Buffer.concat([
    decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
    decipher.final(),
  ]);
}
