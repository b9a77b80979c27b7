import { encodeStreamEnd, type LogChunk, type LogFormat } from "./log-chunk";
import { readEvents } from "./read-events";
import type { FeedState, SessionFeed } from "./session-feed";
import { SessionFeeds } from "./session-feeds";

export interface TailOptions {
  orgId: string;
  sessionId: string;
  /** First index wanted; past the end of the log waits for it. */
  from: number;
  /** `false` ends at the tail as it is now. */
  follow: boolean;
  format: LogFormat;
  /** Ends the tail without a last line, as when the reader has gone. */
  signal?: AbortSignal;
}

const feeds = new SessionFeeds();

/**
 * A session's log from an index on, as encoded lines: replay, then live, without gap or double.
 * It reads ahead of its consumer by one chunk, so a slow consumer costs nothing. After the
 * session's end (or its deletion) comes one `stream.end` line. Authority is the caller's to check.
 */
export async function* tailSession(options: TailOptions): AsyncGenerator<Buffer, void, undefined> {
  const feed = feeds.acquire(options.orgId, options.sessionId);
  try {
    yield* follow(feed, options);
  } finally {
    feeds.release(feed);
  }
}

async function* follow(
  feed: SessionFeed,
  { from, follow, format, signal }: TailOptions,
): AsyncGenerator<Buffer, void, undefined> {
  let cursor = from;
  while (!signal?.aborted) {
    const version = feed.version;
    const found = await chunkFrom(feed, cursor);
    if (found.chunk) {
      cursor = found.chunk.next;
      yield found.chunk.bytes(format);
      continue;
    }
    const reason = endReason(found.state) ?? (follow ? undefined : "tail");
    if (reason) {
      yield encodeStreamEnd(format, reason);
      return;
    }
    await feed.pastVersion(version, signal);
  }
}

interface Found {
  chunk?: LogChunk;
  state: FeedState;
}

/** The chunk at a cursor: from the feed, or by reading the log where the feed does not reach. */
async function chunkFrom(feed: SessionFeed, cursor: number): Promise<Found> {
  const kept = feed.chunkAt(cursor) ?? feed.pages.at(cursor);
  if (kept) return { chunk: kept, state: feed.state };
  if (cursor === feed.end) return { state: feed.state };
  const page = await feed.pages.read(cursor, (from) =>
    readEvents(feed.orgId, feed.sessionId, from),
  );
  if (!page) return { state: "deleted" };
  if (page.lines.length > 0) {
    return { chunk: feed.pages.keep(page), state: page.status };
  }
  feed.begin(Math.min(cursor, page.length));
  // Events that are there but could not be shown yet: the feed reads again.
  return { state: page.length > cursor ? feed.state : page.status };
}

const endReason = (state: FeedState): string | undefined =>
  state === "completed" || state === "failed" || state === "deleted" ? state : undefined;
