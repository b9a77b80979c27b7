import { claimKey, HeldKey, type KeptAnswer, type KeyScope, type KnownKey } from "../idempotency";
import type { OnceLog } from "../platform/context";
import { AppError } from "../platform/errors";
import { platform } from "../platform/platform";
import { conflict, inProgress, KeyLog, type LoggedRequest } from "./once-log";

interface Once extends LoggedRequest {
  scope: KeyScope;
  /** Runs the request, and says what the answer was made of. Never rejects. */
  answer(log: OnceLog): Promise<{ response: Response; result: unknown }>;
  /** Makes a streamed answer anew from its `Location`. */
  again: ((location: string) => Promise<Response>) | undefined;
}

/** Answers that say nothing about the request itself: it may well succeed the next time. */
const isPassing = (status: number): boolean => status >= 500 || status === 429;

/**
 * Runs a request once under its key: a repeat gets the kept answer, or one made anew of what the
 * request's operations had led to when its process died.
 * @throws AppError `idempotency_conflict`, `idempotency_in_progress`, `already_created`.
 */
export async function answerOnce(once: Once): Promise<Response> {
  const key = await claimKey(once.scope, once.digest.known ?? "");
  return key instanceof HeldKey ? await first(key, once) : await repeated(key, once);
}

async function first(key: HeldKey, once: Once): Promise<Response> {
  const log = new KeyLog(key, once);
  const { response, result } = await once.answer(log);
  const bodyHash = once.digest.known;
  try {
    // A body that was not read to its end cannot be told from another.
    if (bodyHash === undefined || log.refused || isPassing(response.status)) {
      await key.free();
      return response;
    }
    const streamed = once.again !== undefined && response.headers.has("location");
    const createdId = once.secretOf(result) ?? null;
    const body = streamed ? null : new Uint8Array(await response.clone().arrayBuffer());
    await key.keep({
      ...headOf(response),
      bodyHash,
      body: createdId === null ? body : null,
      createdId,
      sessionId: once.sessionOf(result),
    });
  } catch (error) {
    // What was asked for has happened, so it is answered; a repeat is answered from its operations.
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
    throw conflict();
  }
  if (answer === undefined) throw inProgress();
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
