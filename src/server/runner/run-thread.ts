import type { NewEvent } from "../../protocol/event";
import { compactThread } from "./compact-thread";
import { deliverMessages } from "./deliver-messages";
import { type StoredCall, type StoredStep, stepsOf } from "./read-conversation";
import { runCall } from "./run-call";
import { runStep, stepCompleted, stepStarted } from "./run-step";
import { completeStep } from "./step-writes";
import type { Thread, ThreadEnd } from "./thread";
import { TurnError } from "./turn-error";
import { turnTotals } from "./turn-totals";

/** Writes what closes the step before, with the events that open the next. */
type Close = (opening: NewEvent[]) => Promise<void>;

/** Where a thread stands between two steps. */
type Progress = { end: ThreadEnd } | { end?: never; close: Close };

const PARKED: Progress = { end: { parked: true } };

/**
 * Runs a thread from wherever an earlier attempt left it until the model asks for nothing more.
 * @param open writes what opens the thread together with the first events of its first step
 * @throws TurnError, TurnFenced.
 */
export async function runThread(thread: Thread, open: Close): Promise<ThreadEnd> {
  const steps = stepsOf(thread.own, thread.parentCallId);
  let progress = await resume(thread, steps, open);
  while (!progress.end) progress = await takeStep(thread, steps, progress.close);
  return progress.end;
}

/** Finishes what an earlier attempt had begun. */
async function resume(thread: Thread, steps: StoredStep[], open: Close): Promise<Progress> {
  const last = steps.at(-1);
  if (!last) return { close: open };
  await open([]);
  const isSeen = last.calls.length === 0 && !hasUnseen(thread, steps);
  if (isSeen) return { end: { parked: false, text: textOf(last) } };
  if (last.finished) return { close: (events) => append(thread, events) };
  return await runCalls(thread, last);
}

/** Whether the agent was asked for a revision of what it said last. */
const hasUnseen = ({ parentCallId, own }: Thread, steps: StoredStep[]): boolean =>
  parentCallId === "" && own.messages.some(({ atStep }) => atStep >= steps.length);

async function takeStep(thread: Thread, steps: StoredStep[], close: Close): Promise<Progress> {
  const over = overLimit(thread, steps);
  if (over) {
    await close([]);
    throw over;
  }
  // Only the agent itself hears what people say meanwhile, and only between two steps.
  if (steps.length > 0) await takeMessages(thread, steps.length);
  const ready = close(stepStarted(thread, steps.length));
  ready.catch(() => undefined); // awaited where the step needs it
  if (steps.length > 0 || thread.history.length > 1) {
    await compactThread(thread, steps.length, ready);
  }
  const ran = await runStep(thread, steps.length, ready);
  steps.push(ran);
  if (ran.calls.length === 0) return { end: { parked: false, text: ran.said } };
  return await runCalls(thread, ran, ran.startedMs);
}

/** What was said meanwhile joins the turn, where it is the agent itself that goes on. */
async function takeMessages({ turn, parentCallId, own }: Thread, step: number): Promise<void> {
  if (parentCallId !== "") return;
  const messages = await deliverMessages(turn, step);
  if (messages.length === 0) return;
  own.messages.push(...messages);
  turn.workspace.joined();
}

async function append({ turn }: Thread, events: NewEvent[]): Promise<void> {
  if (events.length > 0) await turn.log.append(events);
}

/** Runs what a step asked for, side by side. Parked while a call of it waits for people. */
async function runCalls(
  thread: Thread,
  step: StoredStep,
  startedMs = performance.now(),
): Promise<Progress> {
  const run = (call: StoredCall) => runCall(thread, call).catch(giveUp(thread));
  const settled = await besideParent(thread, () => Promise.allSettled(step.calls.map(run)));
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  if (settled.some((result) => result.status === "fulfilled" && result.value === "parked")) {
    return PARKED;
  }
  const callIds = step.calls.map((call) => call.callId);
  const { parentCallId } = thread;
  const close: Close = async (opening) => {
    await completeStep(thread.turn.log, { parentCallId, step: step.step }, [
      { type: "actions.completed", data: { callIds } },
      ...stepCompleted(thread, step.step, startedMs),
      ...opening,
    ]);
    step.finished = true;
  };
  return { close };
}

/** While the calls of a subagent run, the call that started it only waits for them. */
const besideParent = <T>({ turn, parentCallId }: Thread, work: () => Promise<T>): Promise<T> =>
  parentCallId === "" ? work() : turn.activity.aside(work);

/** What ends the turn ends the calls beside it. */
const giveUp =
  ({ turn }: Thread) =>
  (error: unknown): never => {
    turn.abort(error);
    throw error;
  };

function overLimit({ turn, own }: Thread, steps: readonly StoredStep[]): TurnError | undefined {
  const { limits } = turn.agent.manifest;
  if (steps.length >= limits.steps) {
    return new TurnError("step_limit", `The turn reached its limit of ${limits.steps} steps.`);
  }
  const { usage } = turnTotals(own);
  const { tokens } = limits;
  if (tokens !== undefined && usage.inputTokens + usage.outputTokens >= tokens) {
    return new TurnError("token_limit", `The turn reached its limit of ${tokens} tokens.`);
  }
  return undefined;
}

const textOf = (step: StoredStep): string =>
  step.messages
    .flatMap(({ role, content }) => {
      if (role !== "assistant") return [];
      if (typeof content === "string") return [content];
      return content.map((part) => (part.type === "text" ? part.text : ""));
    })
    .join("");
