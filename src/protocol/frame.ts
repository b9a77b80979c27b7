/** Largest JSON nesting either side accepts in a frame. */
export const MAX_FRAME_DEPTH = 80;

/** A frame that breaks the wire contract: too large, too deep or not JSON. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

const HEADER_BYTES = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** One frame: a little-endian u32 byte count and that many bytes of JSON. */
export function encodeFrame(message: unknown): Uint8Array {
  const body = encoder.encode(JSON.stringify(message));
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, HEADER_BYTES);
  return frame;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Index of the quote that ends a string of JSON text which starts before `at`. */
function endOfString(bytes: Uint8Array, at: number): number {
  let i = at;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** Deepest nesting of JSON text, found without building anything. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) i = endOfString(bytes, i + 1);
    else if (OPENING.has(byte)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(byte)) depth--;
  }
  return deepest;
}

function parse(text: () => string, bytes: Uint8Array): unknown {
  if (depthOf(bytes) > MAX_FRAME_DEPTH) throw new FrameError("frame is nested too deeply");
  try {
    return JSON.parse(text());
  } catch {
    throw new FrameError("frame is not JSON");
  }
}

const decodeBody = (body: Uint8Array): unknown => parse(() => decoder.decode(body), body);

/** JSON that came in pieces, held to what a frame is held to. Throws FrameError. */
export const decodeText = (text: string): unknown => parse(() => text, encoder.encode(text));

/** Cuts a byte stream into frames; holds at most `maxBytes` plus one chunk. */
export class FrameReader {
  private chunks: Uint8Array[] = [];
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  /** Messages completed by this chunk. Throws FrameError on a frame that breaks the contract. */
  push(chunk: Uint8Array): unknown[] {
    this.chunks.push(chunk);
    this.held += chunk.length;
    const messages: unknown[] = [];
    for (let size = this.nextSize(); size !== undefined; size = this.nextSize()) {
      if (this.held < HEADER_BYTES + size) break;
      messages.push(decodeBody(this.take(HEADER_BYTES + size).subarray(HEADER_BYTES)));
    }
    return messages;
  }

  private nextSize(): number | undefined {
    if (this.held < HEADER_BYTES) return undefined;
    let first = this.chunks[0];
    if (first === undefined) return undefined;
    if (first.length < HEADER_BYTES) {
      first = this.join();
      this.chunks = [first];
    }
    const size = new DataView(first.buffer, first.byteOffset, HEADER_BYTES).getUint32(0, true);
    if (size > this.maxBytes) throw new FrameError(`frame of ${size} bytes is too large`);
    return size;
  }

  private join(): Uint8Array {
    const all = new Uint8Array(this.held);
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  private take(bytes: number): Uint8Array {
    const first = this.chunks[0];
    const all = this.chunks.length === 1 && first !== undefined ? first : this.join();
    this.chunks = all.length > bytes ? [all.subarray(bytes)] : [];
    this.held = all.length - bytes;
    return all.subarray(0, bytes);
  }
}
