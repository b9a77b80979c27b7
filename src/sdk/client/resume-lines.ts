import { BerthApiError } from "./api-error";
import { readLines } from "./read-lines";
import { type Connection, request } from "./request";

/** The server sends a keep-alive every 15 s; three missed ones mean a dead connection. */
const IDLE_MS = 45_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Attempts in a row without a single new line, about half a minute. */
const ATTEMPTS = 10;

export interface ResumeOptions {
  /** First index wanted; 0 if absent. */
  startIndex?: number | undefined;
  /** `false` ends at what is there now; `true` (the default) waits for more. */
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Told before each new attempt, with what ended the last one. */
  onReconnect?: ((reason: string) => void) | undefined;
}

interface Log<Line> {
  route: string;
  /** The index of a line; undefined for lines that have none. */
  indexOf(line: Line): number | undefined;
  /** Whether the log is over for good with this line. */
  isLast(line: Line): boolean;
}

const worthRetrying = (error: unknown): boolean =>
  !(error instanceof BerthApiError) ||
  error.status === 0 ||
  error.status === 429 ||
  error.status >= 500;

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

async function* oneConnection<Line>(
  connection: Connection,
  log: Log<Line>,
  startIndex: number,
  options: ResumeOptions,
): AsyncGenerator<Line, void, undefined> {
  const response = await request(connection, "GET", log.route, {
    query: { startIndex, follow: options.follow ?? true },
    accept: "application/x-ndjson",
    signal: options.signal,
  });
  if (!response.body) return;
  const limits = { idleMs: IDLE_MS, signal: options.signal };
  yield* readLines(response.body, limits) as AsyncGenerator<Line>;
}

interface Cursor {
  /** First index not seen yet. */
  next: number;
  /** Attempts since the last new line. */
  failures: number;
  over: boolean;
}

/** Hands over what is new in `lines` and moves the cursor along. */
async function* advance<Line>(
  log: Log<Line>,
  cursor: Cursor,
  lines: AsyncIterable<Line>,
): AsyncGenerator<Line, void, undefined> {
  for await (const line of lines) {
    const index = log.indexOf(line);
    if (index !== undefined && index < cursor.next) continue;
    if (index !== undefined) cursor.next = index + 1;
    cursor.failures = 0;
    cursor.over = log.isLast(line);
    yield line;
    if (cursor.over) return;
  }
}

/**
 * Reads an indexed NDJSON log to its end and continues at the next index whenever the connection
 * breaks, so that every line comes once and in order.
 * @throws BerthApiError on a refusal, or when no attempt in a row brought anything new
 */
export async function* resumeLines<Line>(
  connection: Connection,
  log: Log<Line>,
  options: ResumeOptions = {},
): AsyncGenerator<Line, void, undefined> {
  const cursor: Cursor = { next: options.startIndex ?? 0, failures: 0, over: false };
  while (true) {
    let broken: unknown = gaveUp(log.route);
    try {
      yield* advance(log, cursor, oneConnection(connection, log, cursor.next, options));
      if (cursor.over || options.follow === false) return;
    } catch (error) {
      if (options.signal?.aborted || !worthRetrying(error)) throw error;
      broken = error;
    }
    await waitBeforeRetry(cursor, broken, options);
  }
}

async function waitBeforeRetry(cursor: Cursor, broken: unknown, options: ResumeOptions) {
  if (cursor.failures >= ATTEMPTS) throw broken;
  options.onReconnect?.(broken instanceof Error ? broken.message : String(broken));
  await pause(Math.min(FIRST_WAIT_MS * 2 ** cursor.failures, LONGEST_WAIT_MS), options.signal);
  cursor.failures += 1;
}

const gaveUp = (route: string): BerthApiError =>
  new BerthApiError(`The stream ${route} keeps ending without anything new.`, {
    code: "unreachable",
    status: 0,
  });
