/**
 * Owns the keys under which a request happens once: who holds one, what its operations led to, and the
 * answer, kept for a day. A key is held by a lease that its holder renews, so that one whose process
 * died is free within seconds; what its operations had led to stays, so that a repeat is answered
 * from that. Never knows what a request does, and never keeps an answer that failed on our side.
 */
export { claimKey, type KnownKey } from "./claim-key";
export { HeldKey, type KeptAnswer } from "./held-key";
export type { KeyScope } from "./key-scope";
export { sweepKeys } from "./sweep-keys";
