/** Nothing, not even a keep-alive, arrived for too long. */
export class StreamStalled extends Error {
  override readonly name = "StreamStalled";
}

type Chunk = ReadableStreamReadResult<Uint8Array>;

interface Limits {
  /** Silence after which StreamStalled is thrown. */
  idleMs: number;
  /** Ends the reading with its reason. */
  signal?: AbortSignal | undefined;
}

function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { idleMs, signal }: Limits,
): Promise<Chunk> {
  return new Promise<Chunk>((resolve, reject) => {
    const stalled = () => reject(new StreamStalled(`nothing arrived for ${idleMs} ms`));
    const timer = setTimeout(stalled, idleMs);
    // Node 20's fetch forgets its signal once the request is collected, so it is heard here too.
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    reader
      .read()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      });
  });
}

/**
 * The JSON values of an NDJSON body, in order; empty lines (keep-alives) are skipped, and so is
 * a last line without its newline: the connection was cut inside it.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  limits: Limits,
): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await readWithin(reader, limits);
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
    }
  } finally {
    // Without cancel the connection would stay open behind a reader that nobody reads.
    await reader.cancel().catch(() => undefined);
  }
}
