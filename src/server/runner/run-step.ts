import type { NewEvent } from "../../protocol/event";
import { now } from "../platform/platform";
import { adoptCalls } from "./adopt-calls";
import { askModels } from "./ask-models";
import type { StoredStep } from "./read-conversation";
import { recordStep } from "./step-writes";
import { parentOf, type Thread } from "./thread";

/** Version of the message format in step rows. */
export const SDK_MAJOR = 7;

export interface RanStep extends StoredStep {
  said: string;
  startedMs: number;
}

/**
 * One model call of a thread and everything it said, kept. A step without calls is finished by this.
 * @param ready resolves when the events before the step's first are in the log
 */
export async function runStep(
  thread: Thread,
  step: number,
  ready: Promise<void>,
): Promise<RanStep> {
  const { turn, tools, parentCallId } = thread;
  const startedAt = now();
  const startedMs = performance.now();
  const answer = await askModels(thread, step, ready);
  const { redactor } = turn.agent;
  const adopted = adoptCalls(answer, tools, step, redactor.text);
  const { calls } = adopted;
  const usage = {
    ...answer.usage,
    ...(answer.costUsd === undefined ? {} : { costUsd: answer.costUsd }),
  };
  const { provider, modelId } = answer.model;
  const recorded = {
    ...{ parentCallId, step, provider, modelId, sdk: SDK_MAJOR, usage, startedAt, calls },
    messages: redactor.json(adopted.messages),
  };
  const events = [
    ...answer.text.completed(answer.finishReason),
    ...endOf(thread, step, calls, startedMs),
  ];
  await recordStep(turn.log, recorded, events);
  return {
    ...recorded,
    model: modelId,
    finished: calls.length === 0,
    said: redactor.text(answer.text.said),
    startedMs,
  };
}

function endOf(
  thread: Thread,
  step: number,
  calls: StoredStep["calls"],
  startedMs: number,
): NewEvent[] {
  if (calls.length === 0) return stepCompleted(thread, step, startedMs);
  const parent = parentOf(thread);
  const asked = calls.map(({ callId, toolName, input }) => ({
    callId,
    toolName,
    input,
    ...parent,
  }));
  const announced = calls.flatMap((call) => {
    const tool = call.started ? thread.tools.byName.get(call.toolName) : undefined;
    return thread.turn.agent.redactor.json(tool?.announce?.(call) ?? []);
  });
  return [{ type: "actions.requested", data: { calls: asked } }, ...announced];
}

/** Steps are the agent's own; a subagent's are told by its calls and texts alone. */
export const stepStarted = ({ parentCallId }: Thread, step: number): NewEvent[] =>
  parentCallId === "" ? [{ type: "step.started", data: { step } }] : [];

export const stepCompleted = (
  { parentCallId }: Thread,
  step: number,
  startedMs: number,
): NewEvent[] =>
  parentCallId === ""
    ? [
        {
          type: "step.completed",
          data: { step, durationMs: Math.round(performance.now() - startedMs) },
        },
      ]
    : [];
