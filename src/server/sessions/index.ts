/**
 * Sessions and their log. Owns the only ways to append events, to read them and to follow them.
 * An append is one statement that moves the session's index, so a log has no holes and its order
 * is the order readers see. Never decides whether a turn runs: that is `turns`.
 */
export {
  type Appended,
  appendAsOutsider,
  appendAsOwner,
  type OutsiderEvent,
} from "./append-events";
export { DeltaBatcher, type DeltaStream } from "./delta-batcher";
export { type EncodedEvents, encodeEvents } from "./encode-events";
export { getSession } from "./get-session";
export { listSessions, type SessionPage } from "./list-sessions";
export type { LogFormat } from "./log-chunk";
export type { LogOwner } from "./log-owner";
export { type EventPage, readEvents, type SessionStatus } from "./read-events";
export { NO_SECRETS, type RedactedStream, type Redactor } from "./redactor";
export type { SessionView } from "./session-view";
export { type TailOptions, tailSession } from "./tail-session";
