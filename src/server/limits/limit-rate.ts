import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { AppError } from "../platform/errors";

/** How many requests a window of `seconds` admits, by what they are counted for. */
export const RATE_LIMITS = {
  /** By client address, without a credential. */
  anonymous: { requests: 20, seconds: 1 },
  /** By API key or signed-in session. */
  key: { requests: 500, seconds: 1 },
  /** By agent, on its channel routes. */
  channel: { requests: 3000, seconds: 1 },
  /** By client address and e-mail. */
  signIn: { requests: 10, seconds: 60 },
} as const;

export type RateLimit = keyof typeof RATE_LIMITS;

const limiters = new Map<RateLimit, RateLimiterMemory>();

function limiterOf(limit: RateLimit): RateLimiterMemory {
  const existing = limiters.get(limit);
  if (existing) return existing;
  const { requests, seconds } = RATE_LIMITS[limit];
  const limiter = new RateLimiterMemory({ keyPrefix: limit, points: requests, duration: seconds });
  limiters.set(limit, limiter);
  return limiter;
}

/**
 * Counts one request. Counters live in this process, so each process admits the full rate.
 * @param key what the limit is counted for, e.g. an address or a key id
 * @throws AppError `rate_limited` with the seconds to wait
 */
export async function limitRate(limit: RateLimit, key: string): Promise<void> {
  try {
    await limiterOf(limit).consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const retryAfterS = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    throw new AppError("rate_limited", `Too many requests; try again in ${retryAfterS} s.`, {
      retryAfterS,
    });
  }
}
