import type { ModelMessage } from "ai";
import type { NewEvent, Usage } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";
import { encodeJson, encodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { encodeEvents } from "../sessions";
import type { CallResult } from "./call-result";
import type { StoredCall, StoredCompaction } from "./read-conversation";
import { TurnFenced } from "./turn-error";
import type { TurnLog } from "./turn-log";

/** One fenced statement that appends events and keeps rows. @throws TurnFenced */
async function write(
  log: TurnLog,
  name: string,
  args: readonly unknown[],
  events: readonly NewEvent[],
  more: readonly unknown[] = [],
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
    ...more,
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

/** Logs that an attempt of the turn begins. */
export const announceTurn = (log: TurnLog, events: readonly NewEvent[]) =>
  write(log, "announce_turn", [], events);

/** Sets the turn aside: calls of it wait for people. */
export const parkTurn = (log: TurnLog) => write(log, "park_turn", [], []);

export interface RecordedStep {
  parentCallId: string;
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
      step.parentCallId,
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

export interface AskedApproval {
  callId: string;
  agentId: string;
  version: number;
  toolName: string;
  input: JsonValue;
  hash: string;
  expiresAt: Date;
}

/** Asks people about a call, which counts as not started. */
export const requestApproval = (
  log: TurnLog,
  { callId, agentId, version, toolName, input, hash, expiresAt }: AskedApproval,
  events: readonly NewEvent[],
) => {
  const args = [callId, agentId, version, toolName, encodeJson(input), hash, expiresAt];
  return write(log, "request_approval", args, events);
};

/** Counts another attempt of a call. @returns its number */
export const startCall = async (log: TurnLog, callId: string, events: readonly NewEvent[]) =>
  Number(await write(log, "start_call", [callId], events));

/**
 * Keeps a call's result, logs it, and saves what the call changed in the workspace.
 * @returns the revision of the saved workspace
 */
export async function finishCall(
  log: TurnLog,
  callId: string,
  { isError, result, stubbed = false, artifactId = null }: Kept,
  events: readonly NewEvent[],
  changes: unknown = undefined,
): Promise<number> {
  const args = [callId, isError, encodeJson(result), stubbed, artifactId];
  const saved = changes === undefined ? null : JSON.stringify(changes);
  return Number(await write(log, "finish_call", args, events, [saved]));
}

type Kept = Omit<CallResult, "artifactId"> & { artifactId?: string | null };

/** Notes that the final text of a step is handed to the project's result.ts. */
export const startCommit = (log: TurnLog, step: number) => write(log, "start_commit", [step], []);

/** Notes what it said. */
export const finishCommit = (
  log: TurnLog,
  { step, outcome, message }: { step: number; outcome: string; message: string },
) => write(log, "finish_commit", [step, outcome, encodeText(message)], []);

export interface RecordedCompaction extends StoredCompaction {
  parentCallId: string;
}

/** Keeps a summary that stands for a part of a thread's conversation. */
export const recordCompaction = (
  log: TurnLog,
  { parentCallId, step, fromStep, summary, usage }: RecordedCompaction,
  events: readonly NewEvent[],
) =>
  write(
    log,
    "record_compaction",
    [parentCallId, step, fromStep, encodeText(summary), JSON.stringify(usage)],
    events,
  );

/** Ends a step of a thread whose calls have all finished. */
export const completeStep = (
  log: TurnLog,
  { parentCallId, step }: Pick<RecordedStep, "parentCallId" | "step">,
  events: readonly NewEvent[],
) => write(log, "complete_step", [parentCallId, step], events);
