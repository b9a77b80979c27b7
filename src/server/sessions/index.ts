/**
 * Sessions and their log. Owns the only ways to append events, to read them and to follow them.
 * An append is one statement that moves the session's index, so a log has no holes and its order
 * is the order readers see. Never decides whether a turn runs: that is `turns`.
 */
export { appendAsOutsider, appendAsOwner } from "./append-events";
export { DeltaBatcher, type DeltaStream } from "./delta-batcher";
export { encodeEvents } from "./encode-events";
export { getSession } from "./get-session";
export { listSessions } from "./list-sessions";
export type { LogOwner } from "./log-owner";
export { readEvents } from "./read-events";
export { NO_SECRETS, type RedactedStream, type Redactor } from "./redactor";
export type { SessionView } from "./session-view";
export { type TailOptions, tailSession } from "./tail-session";
