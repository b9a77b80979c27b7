import { z } from "zod";
import { byteLength } from "../platform/json-safety";

const KIND_BYTES = 128;
const KEY_BYTES = 512;
const DATA_BYTES = 1024 * 1024;

const upTo = (bytes: number) =>
  z
    .string()
    .min(1)
    .refine((text) => byteLength(text) <= bytes, `must be at most ${bytes} bytes`);

const Data = z.json().refine((data) => byteLength(JSON.stringify(data)) <= DATA_BYTES, {
  message: "must be at most 1 MiB of JSON",
});

const TOKEN = "[\\w!#$&^.+-]{1,64}";
const PARAMETER = `; ?${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{0,64}")`;

/** What an artifact is, apart from its contents. */
export const NewArtifact = z.object({
  kind: upTo(KIND_BYTES),
  key: upTo(KEY_BYTES),
  /** The key stands for a title that is not given. */
  title: z.string().min(1).max(500).optional(),
  data: Data.optional(),
  contentType: z
    .string()
    .regex(new RegExp(`^${TOKEN}/${TOKEN}(?:${PARAMETER}){0,4}$`), "must be a media type")
    .optional(),
});
export type NewArtifact = z.output<typeof NewArtifact>;
