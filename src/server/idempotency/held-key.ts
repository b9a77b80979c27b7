import { platform } from "../platform/platform";
import { type KeyScope, scopeValues } from "./key-scope";

/** How long a key outlives its process, in seconds. */
export const LEASE_S = 60;
const RENEW_MS = 20_000;
const KEEP_S = 24 * 3600;

/** An answer as it is given again. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  /** Null where the answer held a secret, or is made anew from what the request led to. */
  body: Uint8Array | null;
  /** The id of what was made, where the answer held a secret and is not kept. */
  createdId: string | null;
}

interface Kept extends KeptAnswer {
  /** Hash of the whole request, which is known only now where it was streamed. */
  bodyHash: string;
  /** The session that the answer speaks of: erasing it takes the answer with it. */
  sessionId: string | undefined;
}

/** A key that this process holds while it runs the request. Ends with `keep` or `free`. */
export class HeldKey {
  readonly #renewal: NodeJS.Timeout;

  constructor(
    private readonly scope: KeyScope,
    private readonly stamp: string,
  ) {
    this.#renewal = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  /** Keeps the answer for a day. */
  async keep(answer: Kept): Promise<void> {
    clearInterval(this.#renewal);
    await platform().pool.query({
      name: "keep_answer",
      text: "SELECT berth_keep_answer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, make_interval(secs => $13))",
      values: [
        ...scopeValues(this.scope),
        this.stamp,
        answer.bodyHash,
        answer.status,
        JSON.stringify(answer.headers),
        answer.body === null ? null : Buffer.from(answer.body),
        answer.createdId,
        answer.sessionId ?? null,
        KEEP_S,
      ],
    });
  }

  /** Gives the key back: the next request with it runs. */
  async free(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#hold(null);
  }

  async #renew(): Promise<void> {
    try {
      await this.#hold(LEASE_S);
    } catch (error) {
      // The lease outlives two failed renewals.
      platform().log.warn({ err: error }, "the lease of an idempotency key was not renewed");
    }
  }

  async #hold(seconds: number | null): Promise<void> {
    await platform().pool.query({
      name: "hold_key",
      text: "SELECT berth_hold_key($1, $2, $3, $4, $5, $6, make_interval(secs => $7))",
      values: [...scopeValues(this.scope), this.stamp, seconds],
    });
  }
}
