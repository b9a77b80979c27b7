import { expect, test } from "vitest";
import { readLines, StreamStalled } from "./read-lines";

/** A body that says what it is given and then nothing more. */
function bodyOf(...chunks: string[]) {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, cancelled: () => cancelled };
}

test("a signal ends a reading that waits, whatever has become of the request", async () => {
  const { body, cancelled } = bodyOf('{"index":0}\n');
  const gone = new AbortController();
  const lines = readLines(body, { idleMs: 60_000, signal: gone.signal });
  expect((await lines.next()).value).toEqual({ index: 0 });
  const waiting = lines.next();
  gone.abort();
  await expect(waiting).rejects.toBe(gone.signal.reason);
  expect(cancelled()).toBe(true);
});

test("a signal that was there before reading ends it at once", async () => {
  const { body } = bodyOf();
  const lines = readLines(body, { idleMs: 60_000, signal: AbortSignal.abort() });
  await expect(lines.next()).rejects.toThrow(/aborted/);
});

test("silence ends it", async () => {
  const { body } = bodyOf("\n");
  await expect(readLines(body, { idleMs: 20 }).next()).rejects.toBeInstanceOf(StreamStalled);
});
