import { setTimeout as sleep } from "node:timers/promises";
import { recordUsage } from "../usage";
import { callModel, type ModelAnswer, type ModelRequest, type TryState } from "./call-model";
import { retryDelay, toTurnError } from "./model-failure";
import type { Thread } from "./thread";

export interface PricedAnswer extends ModelAnswer {
  costUsd: number | undefined;
}

/**
 * A model call with its bounded retries: tries again only as long as nothing has been said.
 * Every try that reported what it used is in the ledger.
 * @param before tries of the same step that other models had
 * @throws ModelGaveUp; the signal's reason.
 */
export async function askModel(
  thread: Thread,
  request: ModelRequest,
  step: number,
  ready: Promise<void>,
  before = 0,
): Promise<PricedAnswer> {
  const { turn } = thread;
  for (let tried = 1; ; tried++) {
    const state: TryState = { output: false, usage: undefined };
    try {
      const options = { ready, signal: turn.signal, state };
      const answer = await callModel(request, thread, step, options);
      return { ...answer, costUsd: await keepUsage(thread, request, step, before + tried, state) };
    } catch (error) {
      await keepUsage(thread, request, step, before + tried, state);
      turn.signal.throwIfAborted();
      await ready; // a log that refuses is not the model's fault
      const failure = { error, output: state.output };
      const delay = retryDelay(failure, tried, request.timing);
      if (delay === undefined) throw toTurnError(failure, request.model.label);
      await sleep(delay, undefined, { signal: turn.signal });
    }
  }
}

function keepUsage(
  { turn: { claim }, parentCallId }: Thread,
  { model }: ModelRequest,
  step: number,
  tried: number,
  { usage }: TryState,
): Promise<number | undefined> {
  if (!usage) return Promise.resolve(undefined);
  return recordUsage({
    orgId: claim.orgId,
    turnId: claim.turnId,
    sessionId: claim.sessionId,
    agentId: claim.agentId,
    attempt: claim.attempt,
    parentCallId,
    step,
    try: tried,
    provider: model.provider,
    modelId: model.modelId,
    usage,
  });
}
