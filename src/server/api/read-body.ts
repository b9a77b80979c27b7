import { AppError } from "../platform/errors";
import { jsonDepth, MAX_JSON_DEPTH } from "./json-depth";

/** Largest JSON body in bytes (SPEC 4). */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** The refusal of a body that is longer than a route takes. */
export const tooLarge = (maxBytes: number): AppError =>
  new AppError("body_too_large", `The body may hold at most ${maxBytes} bytes.`, {
    details: { maxBytes },
  });

/** Chunks of a body without a declared length, given up as soon as they exceed the limit. */
async function readChunks(body: ReadableStream<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** @throws AppError `body_too_large` before a byte is read when the declared length says so. */
export function refuseDeclaredLength(request: Request, maxBytes: number): void {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
}

/** @throws AppError `unsupported_media_type` for a body of another type. */
export function requireMediaType(request: Request, type: string): void {
  const given = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (given === type) return;
  throw new AppError("unsupported_media_type", `Send the body with Content-Type: ${type}.`);
}

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");

/**
 * The bytes of a JSON body of at most `maxBytes` bytes; of an absent body none.
 * @throws AppError `unsupported_media_type`, `body_too_large`.
 */
export async function readJsonBytes(
  request: Request,
  maxBytes = MAX_JSON_BYTES,
): Promise<Uint8Array> {
  refuseDeclaredLength(request, maxBytes);
  const bytes = request.body ? await readChunks(request.body, maxBytes) : new Uint8Array();
  if (bytes.byteLength === 0) return bytes;
  if (!isJson(request.headers.get("content-type")) || request.headers.has("content-encoding")) {
    throw new AppError(
      "unsupported_media_type",
      "Send the body as JSON, uncompressed, with Content-Type: application/json.",
    );
  }
  return bytes;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The value of a body's bytes; of none `undefined`. @throws AppError `invalid_json`. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  if (jsonDepth(bytes) > MAX_JSON_DEPTH) {
    throw new AppError("invalid_json", `The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw new AppError("invalid_json", "The body is not well-formed JSON in UTF-8.", {
      cause: error,
    });
  }
}
