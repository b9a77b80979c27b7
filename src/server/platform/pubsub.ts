/**
 * Topics of the live fan-out. A message is a short id, never data: whoever hears it reads Postgres.
 * `session`: a session's log grew · `turn`: a turn may be claimable · `cancel`: a turn was fenced ·
 * `deployment`: a build log grew, as `<agentId>/<version>` · `erased`: a session is gone for good ·
 * `artifact`: an agent, by its id, has a new artifact.
 */
export const TOPICS = ["session", "turn", "cancel", "deployment", "erased", "artifact"] as const;
export type Topic = (typeof TOPICS)[number];

export type Unsubscribe = () => void;

/** The port for waking processes. Messages may be merged, doubled or lost; readers also poll slowly. */
export interface PubSub {
  start(): Promise<void>;
  /** Queues a message; it is sent within a few milliseconds, after the caller's commit. */
  publish(topic: Topic, id: string): void;
  /** Calls the listener for each id heard on a topic. */
  subscribe(topic: Topic, listener: (id: string) => void): Unsubscribe;
  /** Calls back when wakes may have been lost, here or at a sender: readers then look for themselves. */
  onReconnect(listener: () => void): Unsubscribe;
  /** Sends what is queued, now. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
