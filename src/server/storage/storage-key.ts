import { z } from "zod";
import { AppError } from "../platform/errors";
import { byteLength, encodeJson } from "../platform/json-safety";

const KEY_BYTES = 512;
const VALUE_BYTES = 1024 * 1024;

/** Name of a value or a file: 1 to 512 UTF-8 bytes. */
export const StorageKey = z
  .string()
  .min(1)
  .refine((key) => byteLength(key) <= KEY_BYTES, `must be at most ${KEY_BYTES} bytes`);

export const StoragePrefix = z.string().max(KEY_BYTES).default("");

/** A value's stored JSON. @throws AppError `body_too_large` over 1 MiB. */
export function encodeValue(value: unknown): string {
  const json = JSON.stringify(value ?? null);
  if (byteLength(json) > VALUE_BYTES) {
    throw new AppError("body_too_large", "A stored value holds at most 1 MiB of JSON.");
  }
  return encodeJson(value);
}
