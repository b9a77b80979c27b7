import { claimKey, HeldKey, type KeptAnswer, type KeyScope, type KnownKey } from "../idempotency";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import type { RequestDigest } from "./request-digest";

interface Once {
  scope: KeyScope;
  digest: RequestDigest;
  /** Runs the request. Never rejects. */
  answer(): Promise<Response>;
  /** The id of what was made, if the answer that was just given holds a secret. */
  secretOf(): string | undefined;
  /** The session that the answer speaks of. */
  sessionOf(): string | undefined;
  /** Makes a streamed answer anew from its `Location`. */
  again: ((location: string) => Promise<Response>) | undefined;
}

/** Answers that say nothing about the request itself: it may well succeed the next time. */
const isPassing = (status: number): boolean => status >= 500 || status === 429;

/**
 * Runs a request once under its key: a repeat gets the kept answer.
 * @throws AppError `idempotency_conflict`, `idempotency_in_progress`, `already_created`.
 */
export async function answerOnce(once: Once): Promise<Response> {
  const key = await claimKey(once.scope, once.digest.known ?? "");
  return key instanceof HeldKey ? await first(key, once) : await repeated(key, once);
}

async function first(key: HeldKey, once: Once): Promise<Response> {
  const response = await once.answer();
  const bodyHash = once.digest.known;
  try {
    // A body that was not read to its end cannot be told from another.
    if (bodyHash === undefined || isPassing(response.status)) {
      await key.free();
      return response;
    }
    const streamed = once.again !== undefined && response.headers.has("location");
    const createdId = once.secretOf() ?? null;
    const body = streamed ? null : new Uint8Array(await response.clone().arrayBuffer());
    await key.keep({
      ...headOf(response),
      bodyHash,
      body: createdId === null ? body : null,
      createdId,
      sessionId: once.sessionOf(),
    });
  } catch (error) {
    // What was asked for has happened, so it is answered; the lease frees the key.
    platform().log.error({ err: error }, "the answer of a request with a key was not kept");
  }
  return response;
}

const headOf = ({ status, headers }: Response): Pick<KeptAnswer, "status" | "headers"> => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id")),
});

async function repeated({ bodyHash, answer }: KnownKey, once: Once): Promise<Response> {
  const comparable = answer !== undefined || bodyHash !== "";
  if (comparable && bodyHash !== (await once.digest.whole())) {
    const message = "This Idempotency-Key was used for another request; take a new key.";
    throw new AppError("idempotency_conflict", message);
  }
  if (answer === undefined) {
    const message = "The first request with this Idempotency-Key still runs; ask again soon.";
    throw new AppError("idempotency_in_progress", message, { retryAfterS: 1 });
  }
  if (answer.createdId !== null) {
    const message = `${answer.createdId} was made by the first request; its secret was shown then.`;
    throw new AppError("already_created", message, { details: { id: answer.createdId } });
  }
  const { location } = answer.headers;
  if (once.again && location !== undefined) return await once.again(location);
  const { status, headers } = answer;
  const body = status === 204 ? null : Buffer.from(answer.body ?? []);
  return new Response(body, { status, headers });
}
