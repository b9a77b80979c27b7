import { platform } from "../platform/platform";
import { type HeldSession, renewLeases } from "../turns";

const HEARTBEAT_MS = 3_000;

/**
 * Does work while a session is held: renews the lease, and aborts the work's signal once the
 * session went to somebody else or is gone, or whoever asked has left.
 */
export async function holdLease<T>(
  held: HeldSession,
  asked: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { pubsub, log } = platform();
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      if ((await renewLeases(held.holder, [held])).length > 0) lost.abort();
    } catch (error) {
      // The lease outlasts three heartbeats, and the end of the call finds out whether it held.
      log.warn({ err: error, turnId: held.turnId }, "the lease of a direct call was not renewed");
    }
  };
  const timer = setInterval(() => void renew(), HEARTBEAT_MS);
  const unsubscribe = pubsub.subscribe("cancel", (id) => {
    if (id === held.turnId) void renew();
  });
  try {
    return await work(asked ? AbortSignal.any([asked, lost.signal]) : lost.signal);
  } finally {
    unsubscribe();
    clearInterval(timer);
  }
}
