export type StreamFormat = "ndjson" | "sse";

const KEEP_ALIVE_MS = 15_000;
const SILENCE = Symbol("silence");

const KEEP_ALIVE: Record<StreamFormat, Buffer> = {
  ndjson: Buffer.from("\n"),
  sse: Buffer.from(": keep-alive\n\n"),
};

const CONTENT_TYPE: Record<StreamFormat, string> = {
  ndjson: "application/x-ndjson; charset=utf-8",
  sse: "text/event-stream; charset=utf-8",
};

/** Resolves with `SILENCE` when the promise takes longer than `ms`. */
async function orSilence<T>(promise: Promise<T>, ms: number): Promise<T | typeof SILENCE> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof SILENCE>((resolve) => {
    timer = setTimeout(resolve, ms, SILENCE);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

interface StreamOptions {
  format: StreamFormat;
  /** Aborted when the reader has gone. */
  reader: AbortController;
  headers?: Record<string, string>;
  status?: number;
  keepAliveMs?: number;
}

/**
 * A log as an answer that is sent as it grows. It is read as fast as the reader takes it and not
 * faster, says something at least every 15 s, and no proxy should hold it back.
 */
export function streamAnswer(
  source: AsyncGenerator<Uint8Array, void, undefined>,
  { format, reader, headers = {}, status = 200, keepAliveMs = KEEP_ALIVE_MS }: StreamOptions,
): Response {
  let pending: Promise<IteratorResult<Uint8Array, void>> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= source.next();
        const next = await orSilence(pending, keepAliveMs);
        if (next === SILENCE) return controller.enqueue(KEEP_ALIVE[format]);
        pending = undefined;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        reader.abort();
        await source.return();
      },
    },
    // Nothing is read before somebody asks, so an answer nobody reads holds nothing.
    { highWaterMark: 0 },
  );
  return new Response(body, {
    status,
    headers: {
      "content-type": CONTENT_TYPE[format],
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}
