/**
 * Owns the end of sessions: erasing one with everything it left in tables and blobs, and erasing
 * those that are older than their agent keeps them. What was used stays in the usage ledger, as
 * figures without content. Never stops half way: what a crash interrupts is done again.
 */
export { deleteSession } from "./delete-session";
export { expireSessions } from "./expire-sessions";
export { finishErasures } from "./finish-erasures";
