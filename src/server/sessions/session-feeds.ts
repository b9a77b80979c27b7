import { platform } from "../platform/platform";
import type { Unsubscribe } from "../platform/pubsub";
import { SessionFeed } from "./session-feed";

const SILENCE_MS = 2_000;

/** The feeds of a process: one subscription and one poll for all followed sessions. */
export class SessionFeeds {
  readonly #feeds = new Map<string, SessionFeed>();
  #stop: Unsubscribe | undefined;

  /** The feed of a session; every `acquire` needs one `release`. */
  acquire(orgId: string, sessionId: string): SessionFeed {
    this.#stop ??= this.#start();
    const known = this.#feeds.get(sessionId);
    // A session belongs to one org: another org's request for its id gets a feed of its own.
    const feed = known?.orgId === orgId ? known : new SessionFeed(orgId, sessionId);
    if (!known) this.#feeds.set(sessionId, feed);
    feed.readers++;
    return feed;
  }

  release(feed: SessionFeed): void {
    feed.readers--;
    if (feed.readers > 0 || this.#feeds.get(feed.sessionId) !== feed) return;
    this.#feeds.delete(feed.sessionId);
    if (this.#feeds.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #start(): Unsubscribe {
    const { pubsub } = platform();
    const unsubscribe = pubsub.subscribe("session", (id) => this.#wake(id));
    const forget = pubsub.onReconnect(() => {
      for (const id of this.#feeds.keys()) this.#wake(id);
    });
    const timer = setInterval(() => void this.#poll(), SILENCE_MS);
    return () => {
      unsubscribe();
      forget();
      clearInterval(timer);
    };
  }

  #wake(sessionId: string): void {
    this.#feeds.get(sessionId)?.wake((error) => this.#warn(error));
  }

  /** Wakes may be lost: asks once for all sessions which have changed. */
  async #poll(): Promise<void> {
    const feeds = [...this.#feeds.values()].filter((feed) => feed.end >= 0);
    if (feeds.length === 0) return;
    try {
      const { rows } = await platform().pool.query<{ id: string }>({
        name: "changed_sessions",
        text: "SELECT berth_changed_sessions($1, $2, $3) AS id",
        values: [
          feeds.map((feed) => feed.orgId),
          feeds.map((feed) => feed.sessionId),
          feeds.map((feed) => feed.end),
        ],
      });
      for (const { id } of rows) this.#wake(id);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    platform().log.warn({ err: error }, "a session's log could not be read; the tail tries again");
  }
}
