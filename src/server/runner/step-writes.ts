import type { ModelMessage } from "ai";
import type { NewEvent, Usage } from "../../protocol/event";
import { encodeJson } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { encodeEvents } from "../sessions";
import type { CallResult } from "./call-result";
import type { StoredCall } from "./read-conversation";
import { TurnFenced } from "./turn-error";
import type { TurnLog } from "./turn-log";

/** One fenced statement that appends events and keeps rows. @throws TurnFenced */
async function write(
  log: TurnLog,
  name: string,
  args: readonly unknown[],
  events: readonly NewEvent[],
): Promise<unknown> {
  const { orgId, sessionId, turnId, epoch, redactor } = log.owner;
  const deltas = encodeEvents(await log.drain());
  const encoded = encodeEvents(events, redactor);
  const values = [
    orgId,
    sessionId,
    turnId,
    epoch,
    ...args,
    [...deltas.types, ...encoded.types],
    [...deltas.data, ...encoded.data],
  ];
  const places = values.map((_, i) => `$${i + 1}`).join(", ");
  const { pool, pubsub } = platform();
  const { rows } = await pool.query<{ done: unknown }>({
    name,
    text: `SELECT berth_${name}(${places}) AS done`,
    values,
  });
  const done = rows[0]?.done;
  if (done === false || done === null || done === undefined) throw new TurnFenced();
  pubsub.publish("session", sessionId);
  return done;
}

export interface RecordedStep {
  step: number;
  provider: string;
  modelId: string;
  sdk: number;
  messages: ModelMessage[];
  usage: Usage & { costUsd?: number };
  startedAt: Date;
  calls: StoredCall[];
}

/** Keeps a finished model call with its events. Calls marked as started count as run from here. */
export const recordStep = (log: TurnLog, step: RecordedStep, events: readonly NewEvent[]) =>
  write(
    log,
    "record_step",
    [
      step.step,
      step.provider,
      step.modelId,
      step.sdk,
      encodeJson(step.messages),
      JSON.stringify(step.usage),
      step.startedAt,
      step.calls.map((call) => call.callId),
      step.calls.map((call) => call.toolName),
      step.calls.map((call) => encodeJson(log.owner.redactor.json(call.input))),
      step.calls.map((call) => call.started),
    ],
    events,
  );

/** Counts another attempt of a call. @returns its number */
export const startCall = async (log: TurnLog, callId: string, events: readonly NewEvent[]) =>
  Number(await write(log, "start_call", [callId], events));

/** Keeps a call's result and logs it. */
export const finishCall = (
  log: TurnLog,
  callId: string,
  { isError, result }: CallResult,
  events: readonly NewEvent[],
) => write(log, "finish_call", [callId, isError, encodeJson(result)], events);

/** Ends a step whose calls have all finished. */
export const completeStep = (log: TurnLog, step: number, events: readonly NewEvent[]) =>
  write(log, "complete_step", [step], events);
