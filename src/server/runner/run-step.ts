import type { NewEvent } from "../../protocol/event";
import { now } from "../platform/platform";
import { adoptCalls } from "./adopt-calls";
import { askModel } from "./ask-model";
import type { ModelRequest } from "./call-model";
import type { StoredStep } from "./read-conversation";
import { recordStep } from "./step-writes";
import type { TurnContext } from "./turn-context";

/** Version of the message format in step rows. */
export const SDK_MAJOR = 7;

export interface RanStep extends StoredStep {
  said: string;
  startedMs: number;
}

/** One model call and everything it said, kept. A step without calls is finished by this. */
export async function runStep(
  turn: TurnContext,
  request: ModelRequest,
  step: number,
  ready: Promise<void>,
): Promise<RanStep> {
  const startedAt = now();
  const startedMs = performance.now();
  const answer = await askModel(turn, request, step, ready);
  const { redactor } = turn.agent;
  const adopted = adoptCalls(answer, turn.tools, step, redactor.text);
  const { calls } = adopted;
  const messages = redactor.json(adopted.messages);
  const usage = {
    ...answer.usage,
    ...(answer.costUsd === undefined ? {} : { costUsd: answer.costUsd }),
  };
  const { provider, modelId } = request.model;
  const events = [...answer.text.completed(answer.finishReason), ...endOf(step, calls, startedMs)];
  const recorded = { step, provider, modelId, sdk: SDK_MAJOR, messages, usage, startedAt, calls };
  await recordStep(turn.log, recorded, events);
  return {
    ...recorded,
    model: modelId,
    finished: calls.length === 0,
    said: redactor.text(answer.text.said),
    startedMs,
  };
}

function endOf(step: number, calls: StoredStep["calls"], startedMs: number): NewEvent[] {
  if (calls.length === 0) return [stepCompleted(step, startedMs)];
  const asked = calls.map(({ callId, toolName, input }) => ({ callId, toolName, input }));
  return [{ type: "actions.requested", data: { calls: asked } }];
}

export const stepCompleted = (step: number, startedMs: number): NewEvent => ({
  type: "step.completed",
  data: { step, durationMs: Math.round(performance.now() - startedMs) },
});
