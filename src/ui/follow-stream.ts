import { readNdjson } from "../protocol/read-ndjson";
import { problemOf } from "./agent-api";

export type StreamPhase =
  | { phase: "connecting" }
  | { phase: "live" }
  | { phase: "reconnecting"; attempt: number }
  | { phase: "ended"; reason: string }
  | { phase: "refused"; status: number; message: string };

interface Line {
  type?: string;
  index?: number;
  reason?: string;
}

export interface FollowOptions {
  /** Address of the log from one index on. */
  url(startIndex: number): string;
  /** First index that is wanted. */
  startIndex: number;
  headers?: HeadersInit;
  onLine(line: unknown): void;
  onPhase(phase: StreamPhase): void;
  /** Ends everything: no call-back follows. */
  signal: AbortSignal;
  /** Longest silence before the connection counts as lost; the server speaks every 15 s. */
  silenceMs?: number;
  /** Longest wait between two tries. */
  maxWaitMs?: number;
  /** A line without an index that ends the log for good, beside `stream.end`. */
  isLast?(line: unknown): boolean;
}

/**
 * Follows an indexed NDJSON log until it ends: every index once and in order, over any number of
 * connections. Network trouble and 5xx lead to another try from the next index; 4xx ends it.
 */
export async function followStream(options: FollowOptions): Promise<void> {
  const { signal, onPhase, maxWaitMs = 10_000 } = options;
  const cursor = { next: options.startIndex };
  onPhase({ phase: "connecting" });
  for (let attempt = 0; !signal.aborted; attempt++) {
    const before = cursor.next;
    const end = await readOnce(options, cursor);
    if (signal.aborted) return;
    if (end) return onPhase(end);
    if (cursor.next > before) attempt = 0;
    onPhase({ phase: "reconnecting", attempt });
    await backOff(Math.min(maxWaitMs, 200 * 2 ** attempt), signal);
  }
}

/** One connection. Answers the final phase, or nothing when another try makes sense. */
async function readOnce(
  options: FollowOptions,
  cursor: { next: number },
): Promise<StreamPhase | undefined> {
  const silence = new AbortController();
  const watch = watchSilence(silence, options.silenceMs ?? 40_000);
  const signal = AbortSignal.any([options.signal, silence.signal]);
  try {
    const response = await fetch(options.url(cursor.next), {
      signal,
      credentials: "same-origin",
      headers: { accept: "application/x-ndjson", ...options.headers },
    });
    if (!response.ok || !response.body) return await refusal(response);
    options.onPhase({ phase: "live" });
    return await readLines(options, cursor, response.body, watch.heard);
  } catch {
    // Every way a connection can break has one answer: try again from the next index.
    return undefined;
  } finally {
    watch.stop();
  }
}

async function readLines(
  options: FollowOptions,
  cursor: { next: number },
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): Promise<StreamPhase | undefined> {
  for await (const value of readNdjson(body)) {
    heard();
    const end = value === undefined ? "go on" : takeLine(options, cursor, value);
    if (end !== "go on") return end;
  }
  return undefined;
}

/** What a line means: go on, the end of the log, or `undefined` for a connection to give up. */
function takeLine(
  options: FollowOptions,
  cursor: { next: number },
  value: unknown,
): StreamPhase | "go on" | undefined {
  const line = value as Line;
  if (line.type === "stream.end") return endOf(line.reason ?? "completed");
  // A hole means that something between here and the log dropped a line.
  if ((line.index ?? 0) > cursor.next) return undefined;
  if (!advance(cursor, line.index)) return "go on";
  options.onLine(value);
  return options.isLast?.(value) ? endOf(line.type ?? "end") : "go on";
}

/** Moves past a line; false for one that was seen. Lines without an index are always new. */
function advance(cursor: { next: number }, index: number | undefined): boolean {
  if (index === undefined) return true;
  if (index < cursor.next) return false;
  cursor.next = index + 1;
  return true;
}

const endOf = (reason: string): StreamPhase | undefined =>
  reason === "tail" ? undefined : { phase: "ended", reason };

async function refusal(response: Response): Promise<StreamPhase | undefined> {
  const retry = response.status >= 500 || response.status === 429 || response.status === 408;
  if (retry) {
    await response.body?.cancel();
    return undefined;
  }
  const { status, message } = await problemOf(response);
  return { phase: "refused", status, message };
}

function watchSilence(controller: AbortController, ms: number) {
  let timer = setTimeout(() => controller.abort(), ms);
  return {
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), ms);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Waits, with jitter so that many tabs do not return at once; ends early when aborted. */
const backOff = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms * (0.5 + Math.random() / 2));
    signal.addEventListener("abort", done);
  });
