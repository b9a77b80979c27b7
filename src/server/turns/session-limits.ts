import { z } from "zod";
import { AppError } from "../platform/errors";
import { byteLength } from "../platform/json-safety";

const MESSAGE_BYTES = 1024 * 1024;
const METADATA_BYTES = 16 * 1024;

/** What a person or program says to an agent. */
export const MessageText = z.string().min(1);
export const Title = z.string().max(200);
export const Metadata = z.record(z.string(), z.json());

/** @throws AppError `body_too_large` for text over 1 MiB of UTF-8. */
export function requireMessageSize(text: string): void {
  if (byteLength(text) <= MESSAGE_BYTES) return;
  throw new AppError("body_too_large", "A message holds at most 1 MiB of text in UTF-8.");
}

/** @throws AppError `body_too_large` for metadata over 16 KiB of JSON. */
export function requireMetadataSize(metadata: unknown): void {
  if (byteLength(JSON.stringify(metadata)) <= METADATA_BYTES) return;
  throw new AppError("body_too_large", "Metadata holds at most 16 KiB of JSON.");
}
