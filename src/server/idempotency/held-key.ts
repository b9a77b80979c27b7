import { serialize } from "node:v8";
import type { QueryResultRow } from "pg";
import { platform } from "../platform/platform";
import type { Sql } from "../platform/transaction";
import { type KeyScope, scopeValues } from "./key-scope";

/** How long a key outlives its process, in seconds. */
export const LEASE_S = 15;
const RENEW_MS = 5_000;
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

/** What the operations of a request led to, by the name of the operation. */
export interface Results {
  /** Hash of the request whose results they are. */
  bodyHash: string;
  of: Map<string, unknown>;
}

interface Remembered {
  /** Name of the operation. */
  action: string;
  result: unknown;
  bodyHash: string;
  sessionId: string | undefined;
}

const runSql: Sql = async <Row extends object>(text: string, params: unknown[] = []) =>
  (await platform().pool.query<Row & QueryResultRow>(text, params)).rows;

/** A key that this process holds while it runs the request. Ends with `keep` or `free`. */
export class HeldKey {
  readonly #renewal: NodeJS.Timeout;
  readonly #results: Map<string, unknown>;

  /** @param left by a request with this key whose process died, or whose answer failed */
  constructor(
    private readonly scope: KeyScope,
    private readonly stamp: string,
    readonly left?: Results,
  ) {
    this.#results = new Map(left?.of);
    this.#renewal = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  /**
   * Notes what an operation led to, in its transaction: from now on the request is not run anew.
   * False where the key has gone to another process, so that nothing of it may commit.
   */
  async remember(sql: Sql, { action, result, bodyHash, sessionId }: Remembered): Promise<boolean> {
    this.#results.set(action, result);
    const [row] = await sql<{ held: boolean }>(
      "SELECT berth_remember_results($1, $2, $3, $4, $5, $6, $7, $8, $9, make_interval(secs => $10)) AS held",
      [...this.#place(), bodyHash, serialize(this.#results), sessionId ?? null, LEASE_S],
    );
    return row?.held === true;
  }

  /** Keeps the answer for a day, in an operation's transaction if there is one. False as `remember`. */
  async keep(answer: Kept, sql: Sql = runSql): Promise<boolean> {
    clearInterval(this.#renewal);
    const [row] = await sql<{ held: boolean }>(
      "SELECT berth_keep_answer($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, make_interval(secs => $13)) AS held",
      [
        ...this.#place(),
        answer.bodyHash,
        answer.status,
        JSON.stringify(answer.headers),
        answer.body === null ? null : Buffer.from(answer.body),
        answer.createdId,
        answer.sessionId ?? null,
        KEEP_S,
      ],
    );
    return row?.held === true;
  }

  /** Gives the key back: the next request with it runs, from what this one has led to. */
  async free(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#hold(this.#results.size > 0 ? 0 : null);
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
    await runSql("SELECT berth_hold_key($1, $2, $3, $4, $5, $6, make_interval(secs => $7))", [
      ...this.#place(),
      seconds,
    ]);
  }

  /** The first parameters of the module's SQL functions. */
  #place(): string[] {
    return [...scopeValues(this.scope), this.stamp];
  }
}
