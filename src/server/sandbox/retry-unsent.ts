import type { CallOptions } from "./driver";
import { SandboxError } from "./sandbox-error";

const ATTEMPTS = 3;

/**
 * Runs a call again, in a fresh process and the time that is left, if the process it was for ended
 * without having read it: that is nothing its caller could have avoided.
 */
export async function retryUnsent<T>(
  options: CallOptions,
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const until = performance.now() + options.timeoutMs;
  let timeoutMs = options.timeoutMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run({ ...options, timeoutMs });
    } catch (error) {
      const unsent = error instanceof SandboxError && error.code === "runtime_lost" && !error.sent;
      if (!unsent || attempt === ATTEMPTS || options.signal?.aborted) throw error;
      timeoutMs = Math.max(1, Math.ceil(until - performance.now()));
    }
  }
}
