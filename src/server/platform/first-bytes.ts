import { byteLength } from "./json-safety";

/** The beginning of a text in at most so many UTF-8 bytes, without half a character. */
export function firstBytes(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  return Buffer.from(text, "utf8")
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
}
