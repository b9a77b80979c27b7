import { decodeJsonText } from "../platform/json-safety";
import { platform } from "../platform/platform";

// Small pages stay in the young heap: ten replays at once cost no more memory than one.
const PAGE_EVENTS = 200;
const PAGE_BYTES = 64 * 1024;
const MARK = "\uE000";

export type SessionStatus = "waiting" | "queued" | "running" | "parked" | "completed" | "failed";

/** Consecutive events as wire lines (JSON, no newline at the end of each). */
export interface EventPage {
  /** Index of the first line; `from` when there is none. */
  first: number;
  lines: string[];
  /** Where the next page begins. */
  next: number;
  status: SessionStatus;
  /** The log's length when the page was read. */
  length: number;
}

interface PageRow {
  missing: boolean;
  status: SessionStatus;
  next_index: number;
  first: number | null;
  count: number;
  lines: string | null;
}

/**
 * Reads a page of a session's log from an index on: at most `limit` events and about 64 KiB, at
 * least one event if there is one. Authority is the caller's to check.
 * @returns undefined when the session does not exist.
 */
export async function readEvents(
  orgId: string,
  sessionId: string,
  from: number,
  limit = PAGE_EVENTS,
): Promise<EventPage | undefined> {
  const { rows } = await platform().pool.query<PageRow>({
    name: "read_events",
    text: "SELECT * FROM berth_read_events($1, $2, $3, $4, $5)",
    values: [orgId, sessionId, from, Math.min(limit, PAGE_EVENTS), PAGE_BYTES],
  });
  const row = rows[0];
  if (!row || row.missing) return undefined;
  const lines = isWhole(row, from) ? decodeLines(row.lines ?? "") : [];
  return {
    first: from,
    lines,
    next: from + lines.length,
    status: row.status,
    length: row.next_index,
  };
}

/** A page with a hole is not shown: whoever wants it reads again. */
const isWhole = (row: PageRow, from: number): boolean => row.lines !== null && row.first === from;

function decodeLines(text: string): string[] {
  const lines = text.split("\n");
  return text.includes(MARK) ? lines.map(decodeJsonText) : lines;
}
