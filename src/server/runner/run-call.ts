import { setTimeout as sleep } from "node:timers/promises";
import type { NewEvent } from "../../protocol/event";
import { boundResult } from "../artifacts";
import { SandboxError } from "../sandbox";
import { approvalGate } from "./approval-gate";
import { type CallResult, errorResult, withNote } from "./call-result";
import { onlyReads } from "./only-reads";
import type { StoredCall } from "./read-conversation";
import { finishCall, startCall } from "./step-writes";
import {
  type DoneCall,
  done,
  type OfferedTool,
  parentOf,
  type RunOutcome,
  type Thread,
} from "./thread";

const ATTEMPTS = 3;
const BACKOFF_MS = 200;
const INTERRUPTED =
  "The call was interrupted before its result arrived. It may or may not have happened: check before you do it again.";

/**
 * Runs one call to its kept and logged result. Calls that have one are left alone.
 * @returns `parked` when it waits for a person: it has no result yet.
 */
export async function runCall(thread: Thread, call: StoredCall): Promise<"done" | "parked"> {
  if (call.finished) return "done";
  return await thread.turn.activity.during(() => runOpenCall(thread, call));
}

async function runOpenCall(thread: Thread, call: StoredCall): Promise<"done" | "parked"> {
  const { activity } = thread.turn;
  let begun = performance.now();
  let ran = await outcomeOf(thread, call);
  while (ran.state === "parked" && (await activity.decisionOrIdle())) {
    begun = performance.now();
    ran = await outcomeOf(thread, call);
  }
  if (ran.state === "parked") return "parked";
  await keep(thread, call, ran, Math.round(performance.now() - begun));
  return "done";
}

async function keep(
  thread: Thread,
  call: StoredCall,
  ran: DoneCall,
  durationMs: number,
): Promise<void> {
  const { log, agent, workspace } = thread.turn;
  const { callId, toolName } = call;
  const before = agent.redactor.json(ran.events ?? []);
  const bound = await boundCall(thread, call, ran.result);
  const write = async ({ changes, note }: { changes?: unknown; note?: string }) => {
    const outcome = withNote(bound, note);
    const { isError, result, stubbed, artifactId = null } = outcome;
    const data = { callId, toolName, isError, result, durationMs, ...parentOf(thread) };
    const event: NewEvent = { type: "action.result", data: stubbed ? { ...data, stubbed } : data };
    await finishCall(log, callId, outcome, [...before, event], changes);
    Object.assign(call, { finished: true, isError, result, artifactId });
  };
  if (ran.changed) await workspace.save(write);
  else await write({});
}

/** A result without secrets, in the log's bounds; what is too long for it becomes an artifact. */
async function boundCall(
  { turn: { claim, agent } }: Thread,
  { callId, toolName }: StoredCall,
  result: CallResult,
): Promise<CallResult> {
  const { orgId, agentId, sessionId } = claim;
  // Reasons of the platform quote the model and the agent's process, so they are redacted as well.
  const { stubbed, ...whole } = agent.redactor.json(result);
  const bound = await boundResult({ orgId, agentId, sessionId, callId, toolName }, whole);
  return stubbed ? { ...bound, stubbed } : bound;
}

/** A call that was refused before it started holds its reason as its result. */
async function outcomeOf(thread: Thread, call: StoredCall): Promise<RunOutcome> {
  if (call.isError) return done({ isError: true, result: call.result });
  const tool = thread.tools.byName.get(call.toolName);
  if (!tool) return done(unknownTool(thread, call.toolName));
  const interrupted = call.started && thread.turn.resumed.has(call.callId);
  if (interrupted && tool.delegates) return await tool.run(thread, call);
  if (interrupted && !(await onlyReads(thread, call, tool))) {
    return done(errorResult(INTERRUPTED), true);
  }
  const gate = await approvalGate(thread, call, tool);
  if (gate.state !== "open") return gate;
  call.approved = gate.approved;
  return await attempts(thread, call, tool, interrupted ? call.attempt : 0);
}

const unknownTool = ({ tools }: Thread, name: string): CallResult => {
  const names = [...tools.byName.keys()].join(", ") || "none";
  return errorResult(`There is no tool ${name}. Tools: ${names}.`);
};

/** @param made attempts that were made and lost before this worker took over. */
async function attempts(
  thread: Thread,
  call: StoredCall,
  tool: OfferedTool,
  made: number,
): Promise<RunOutcome> {
  let error = "the worker was lost";
  for (let attempt = made + 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) await startAgain(thread, call, attempt, error);
    else if (!call.started) await startCall(thread.turn.log, call.callId, []);
    const tried = await attemptOnce(thread, call, tool);
    if (tried.outcome) return tried.outcome;
    error = tried.error;
  }
  return done(errorResult(`The call failed ${ATTEMPTS} times: ${error}`));
}

type Tried = { outcome: RunOutcome } | { outcome?: never; error: string };

async function attemptOnce(thread: Thread, call: StoredCall, tool: OfferedTool): Promise<Tried> {
  try {
    return { outcome: await tool.run(thread, call) };
  } catch (error) {
    thread.turn.signal.throwIfAborted();
    if (!(error instanceof SandboxError)) throw error;
    const harmless = !error.sent || (await onlyReads(thread, call, tool));
    // A lost process is tried again if the call had not reached it, or only reads.
    if (error.code === "runtime_lost" && harmless) return { error: error.message };
    return { outcome: done(errorResult(failureText(error, tool)), !harmless) };
  }
}

const failureText = (error: SandboxError, tool: OfferedTool): string =>
  error.code === "runtime_lost" ? INTERRUPTED : `${tool.name} failed: ${error.message}`;

async function startAgain(
  { turn }: Thread,
  { callId }: StoredCall,
  attempt: number,
  error: string,
): Promise<void> {
  await sleep(BACKOFF_MS * 2 ** (attempt - 2), undefined, { signal: turn.signal });
  await startCall(turn.log, callId, [
    { type: "action.tool_retry", data: { callId, attempt, error } },
  ]);
}
