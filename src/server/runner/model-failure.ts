import { APICallError } from "ai";
import { PrivateTargetError } from "../egress";
import type { ModelTiming } from "./model-timing";
import { TurnError } from "./turn-error";

/** A model call that ended without a usable answer. */
export interface ModelFailure {
  error: unknown;
  /** Whether anything of an answer had arrived. */
  output: boolean;
}

/** The answer began and broke off, or was none at all. */
export class BrokenAnswer extends Error {
  override readonly name = "BrokenAnswer";
}

const statusOf = (error: unknown): number | undefined =>
  APICallError.isInstance(error) ? error.statusCode : undefined;

/** The guard's refusal, however deep the client's errors wrap it. */
function refusedTarget(error: unknown): PrivateTargetError | undefined {
  if (error instanceof PrivateTargetError) return error;
  return error instanceof Error ? refusedTarget(error.cause) : undefined;
}

/** Refusals that trying again cannot change: a wrong key or request, an address that is not open. */
function isFinal(error: unknown): boolean {
  if (refusedTarget(error)) return true;
  const status = statusOf(error);
  return status !== undefined && status < 500 && status !== 429 && status !== 408 && status !== 409;
}

/** How long to wait before the next try, in milliseconds; undefined when there is no next try. */
export function retryDelay(
  { error, output }: ModelFailure,
  tried: number,
  timing: ModelTiming,
): number | undefined {
  if (output || tried >= timing.tries || isFinal(error)) return undefined;
  const asked = retryAfterMs(error);
  if (asked !== undefined) return asked <= timing.maxWaitMs ? asked : undefined;
  return timing.backoffMs * 2 ** (tried - 1);
}

function retryAfterMs(error: unknown): number | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const header = error.responseHeaders?.["retry-after"];
  if (!header) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A model that could not be had. Where nothing was said, another one may answer in its place. */
export class ModelGaveUp extends TurnError {
  constructor(
    code: "model_error" | "model_rate_limited",
    message: string,
    readonly said: boolean,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}

/** How the turn ends after the last try. */
export function toTurnError({ error, output }: ModelFailure, label: string): ModelGaveUp {
  const status = statusOf(error);
  if (status === 429) {
    const message = `${label} is rate limited; try again later.`;
    return new ModelGaveUp("model_rate_limited", message, output);
  }
  const refused = refusedTarget(error);
  if (refused) {
    const fix = "Only the operator can open one, by BERTH_PRIVATE_TARGETS=models=<address>:<port>.";
    const message = `${label} failed: ${refused.message}. ${fix}`;
    return new ModelGaveUp("model_error", message, output, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const answered = status === undefined ? "" : ` (status ${status})`;
  const message = `${label} failed${answered}: ${reason}`;
  return new ModelGaveUp("model_error", message, output, { cause: error });
}
