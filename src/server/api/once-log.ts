import type { HeldKey } from "../idempotency";
import type { OnceLog } from "../platform/context";
import { AppError } from "../platform/errors";
import type { Sql } from "../platform/transaction";
import type { RequestDigest } from "./request-digest";

/** What the log has to know of its request. */
export interface LoggedRequest {
  digest: RequestDigest;
  /** The id of what was made, if a result holds a secret. */
  secretOf(result: unknown): string | undefined;
  /** The session that a result, or the request itself, speaks of. */
  sessionOf(result: unknown): string | undefined;
}

export const conflict = (): AppError =>
  new AppError(
    "idempotency_conflict",
    "This Idempotency-Key was used for another request; take a new key.",
  );

export const inProgress = (): AppError =>
  new AppError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key still runs; ask again soon.",
    { retryAfterS: 1 },
  );

/** Puts a request's operations under the key that this process holds for it. */
export class KeyLog implements OnceLog {
  /** Whether the request turned out to be another than the one whose results are under the key. */
  refused = false;

  constructor(
    private readonly key: HeldKey,
    private readonly request: LoggedRequest,
  ) {}

  recall(action: string): { result: unknown } | undefined {
    const { left } = this.key;
    if (!left?.of.has(action)) return undefined;
    if (this.request.digest.known !== left.bodyHash) {
      this.refused = true;
      throw conflict();
    }
    return { result: left.of.get(action) };
  }

  async remember(sql: Sql, action: string, result: unknown): Promise<void> {
    const bodyHash = this.request.digest.known;
    // What is written before a body was read to its end could not be told from another's.
    if (bodyHash === undefined) return;
    const sessionId = this.request.sessionOf(result);
    const createdId = this.request.secretOf(result);
    const held =
      createdId === undefined
        ? await this.key.remember(sql, { action, result, bodyHash, sessionId })
        : await this.key.keep({ ...MADE, bodyHash, createdId, sessionId }, sql);
    if (!held) throw inProgress();
  }
}

/** A secret is shown once: its operation is the end of the request, answered or not. */
const MADE = { status: 201, headers: {}, body: null };
