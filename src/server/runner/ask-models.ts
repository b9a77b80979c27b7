import type { ResolvedModel } from "../models";
import { askModel, type PricedAnswer } from "./ask-model";
import { buildMessages } from "./build-messages";
import { ModelGaveUp } from "./model-failure";
import { DEFAULT_TIMING } from "./model-timing";
import type { Thread } from "./thread";

export interface StepAnswer extends PricedAnswer {
  /** Which of the thread's models said it. */
  model: ResolvedModel;
}

/**
 * Asks for a thread's next step: the model itself, and when it gave up with nothing said, the
 * next of its fallbacks. @throws ModelGaveUp of the last one; the signal's reason.
 */
export async function askModels(
  thread: Thread,
  step: number,
  ready: Promise<void>,
): Promise<StepAnswer> {
  const { turn, instructions, tools, history, parentCallId } = thread;
  const timing = turn.ports.timing ?? DEFAULT_TIMING;
  const waiting = [...thread.fallbacks];
  let model = thread.model;
  for (let before = 0; ; before += timing.tries) {
    const messages = buildMessages(history, model.provider, parentCallId);
    const request = { model, instructions, messages, tools, timing };
    try {
      return { ...(await askModel(thread, request, step, ready, before)), model };
    } catch (error) {
      const next = error instanceof ModelGaveUp && !error.said ? waiting.shift() : undefined;
      if (!next) throw error;
      model = next;
    }
  }
}
