/**
 * Turns: their rows, states, order, leases and fences. Owns how a message becomes a turn, which
 * worker may run it, and how it ends without one. Every change and its events are one statement.
 * Never runs a turn: that is `runner`.
 */
export { beginCall, type HeldSession, requireCallInputSize } from "./begin-call";
export { type Claim, claimTurns } from "./claim-turns";
export { createSession } from "./create-session";
export { endCall } from "./end-call";
export { finishTurn } from "./finish-turn";
export { nextLeaseEnd } from "./next-lease-end";
export { releaseTurn } from "./release-turn";
export { renewLeases } from "./renew-leases";
export { type SentMessage, sendMessage } from "./send-message";
export { stopTurn } from "./stop-turn";
export { sweepTurns } from "./sweep-turns";
export { WorkspaceFiles } from "./workspace-files";
