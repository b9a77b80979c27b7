export type LogFormat = "ndjson" | "sse";

/** Consecutive events, encoded once for all who read them. */
export class LogChunk {
  readonly next: number;
  readonly #bytes = new Map<LogFormat, Buffer>();

  constructor(
    readonly first: number,
    private readonly lines: readonly string[],
  ) {
    this.next = first + lines.length;
  }

  bytes(format: LogFormat): Buffer {
    const known = this.#bytes.get(format);
    if (known) return known;
    const bytes = Buffer.from(this.#encode(format));
    this.#bytes.set(format, bytes);
    return bytes;
  }

  #encode(format: LogFormat): string {
    if (format === "ndjson") return `${this.lines.join("\n")}\n`;
    return this.lines.map((line, i) => `id: ${this.first + i}\ndata: ${line}\n\n`).join("");
  }
}

/** The last line of a stream that ended for good. */
export function encodeStreamEnd(format: LogFormat, reason: string): Buffer {
  const line = JSON.stringify({ type: "stream.end", reason });
  return Buffer.from(format === "ndjson" ? `${line}\n` : `event: stream.end\ndata: ${line}\n\n`);
}
