import type { SessionEvent } from "../../src/protocol/event";
import type { BenchHttp } from "./bench-http";

export interface TurnTimes {
  sessionId: string;
  lastIndex: number;
  /** Milliseconds from sending the message: until accepted, first token, and done. */
  accept: number;
  first: number;
  done: number;
  /** Attempt that ended the turn, and when it began. */
  attempt: number;
  attemptAt: number;
  version: number;
}

interface Sent {
  sessionId: string;
  turnId: string;
}

/** Session to go on with, and the newest index known of it. */
export type Place = { sessionId: string; lastIndex: number };

interface TurnOptions {
  message?: string;
  after?: Place;
  /** Told each event as it arrives. */
  onEvent?: (event: SessionEvent) => void;
}

/** Throws unless the event is the next of the log: delivery is contiguous or it is a failure. */
function requireNext(event: SessionEvent, lastIndex: number): void {
  if (event.index === lastIndex + 1) return;
  throw new Error(`${event.sessionId}: index ${event.index} after ${lastIndex}`);
}

function note(times: TurnTimes, event: SessionEvent, since: number): void {
  const elapsed = performance.now() - since;
  if (event.type === "turn.started") {
    times.attempt = event.data.attempt;
    times.attemptAt = elapsed;
    times.version = event.data.version;
  }
  if (event.type === "message.appended" && Number.isNaN(times.first)) times.first = elapsed;
  if (event.type === "turn.completed") times.done = elapsed;
}

/**
 * Sends a message and follows its turn to the end on the live stream.
 * @throws Error when the turn fails, an index is missing or doubled, or the stream ends before it
 */
export async function benchTurn(http: BenchHttp, options: TurnOptions = {}): Promise<TurnTimes> {
  const { message = "hello", after, onEvent } = options;
  const path = after ? `/v1/session/${after.sessionId}` : "/v1/session";
  const since = performance.now();
  const { sessionId, turnId } = await http.post<Sent>(path, { message });
  const times: TurnTimes = {
    sessionId,
    lastIndex: after?.lastIndex ?? -1,
    accept: performance.now() - since,
    first: Number.NaN,
    done: Number.NaN,
    attempt: 0,
    attemptAt: Number.NaN,
    version: 0,
  };
  const stream = `/v1/session/${sessionId}/stream?startIndex=${times.lastIndex + 1}`;
  for await (const event of http.lines<SessionEvent>(stream)) {
    requireNext(event, times.lastIndex);
    times.lastIndex = event.index;
    onEvent?.(event);
    if (event.turnId !== undefined && event.turnId !== turnId) continue;
    note(times, event, since);
    if (event.type === "turn.failed") throw new Error(`${turnId}: ${event.data.error.message}`);
    if (event.type === "turn.completed") return times;
  }
  throw new Error(`${sessionId}: the stream ended before the turn did`);
}
