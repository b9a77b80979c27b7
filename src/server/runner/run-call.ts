import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "../../protocol/json";
import type { ToolManifest } from "../../protocol/manifest";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { SandboxError } from "../sandbox";
import { type CallResult, errorResult, needsApproval, toCallResult } from "./call-result";
import type { StoredCall } from "./read-conversation";
import { finishCall, startCall } from "./step-writes";
import type { TurnContext } from "./turn-context";

const ATTEMPTS = 3;
const BACKOFF_MS = 200;
const INTERRUPTED =
  "The call was interrupted before its result arrived. It may or may not have happened: check before you do it again.";

/** Runs one call to its kept and logged result. Calls that have one are left alone. */
export async function runCall(turn: TurnContext, call: StoredCall): Promise<void> {
  if (call.finished) return;
  const begun = performance.now();
  // Reasons of the platform quote the model and the agent's process, so they are redacted as well.
  const outcome = turn.agent.redactor.json(await resultOf(turn, call));
  const { isError, result } = outcome;
  const durationMs = Math.round(performance.now() - begun);
  const { callId, toolName } = call;
  await finishCall(turn.log, callId, outcome, [
    { type: "action.result", data: { callId, toolName, isError, result, durationMs } },
  ]);
  Object.assign(call, { finished: true, isError, result });
}

/** A call that was refused before it started holds its reason as its result. */
function resultOf(turn: TurnContext, call: StoredCall): Promise<CallResult> {
  const refusal = refusalOf(turn, call);
  if (refusal) return Promise.resolve(refusal);
  const tool = turn.toolByName.get(call.toolName);
  if (!tool) return Promise.resolve(unknownTool(turn, call.toolName));
  const interrupted = call.started && turn.resumed.has(call.callId);
  if (interrupted && tool.effect !== "read") return Promise.resolve(errorResult(INTERRUPTED));
  return attempts(turn, call, tool, interrupted ? call.attempt : 0);
}

function refusalOf({ toolByName }: TurnContext, call: StoredCall): CallResult | undefined {
  if (call.isError) return { isError: true, result: call.result };
  const gated = toolByName.get(call.toolName)?.needsApproval === "always";
  return gated ? needsApproval(call.toolName) : undefined;
}

const unknownTool = ({ toolByName }: TurnContext, name: string): CallResult => {
  const names = [...toolByName.keys()].join(", ") || "none";
  return errorResult(`There is no tool ${name}. Tools: ${names}.`);
};

/** @param made attempts that were made and lost before this worker took over. */
async function attempts(
  turn: TurnContext,
  call: StoredCall,
  tool: ToolManifest,
  made: number,
): Promise<CallResult> {
  let error = "the worker was lost";
  for (let attempt = made + 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) await startAgain(turn, call, attempt, error);
    else if (!call.started) await startCall(turn.log, call.callId, []);
    const tried = await attemptOnce(turn, call, tool);
    if (tried.result) return tried.result;
    error = tried.error;
  }
  return errorResult(`The call failed ${ATTEMPTS} times: ${error}`);
}

type Tried = { result: CallResult } | { result?: never; error: string };

async function attemptOnce(
  turn: TurnContext,
  call: StoredCall,
  tool: ToolManifest,
): Promise<Tried> {
  try {
    return { result: toCallResult(tool.name, await invoke(turn, call, tool)) };
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!(error instanceof SandboxError)) throw error;
    if (mayRepeat(error, tool)) return { error: error.message };
    return { result: errorResult(failureText(error, tool)) };
  }
}

/** A lost process is tried again if the call had not reached it, or only reads. */
const mayRepeat = (error: SandboxError, tool: ToolManifest): boolean =>
  error.code === "runtime_lost" && (!error.sent || tool.effect === "read");

const failureText = (error: SandboxError, tool: ToolManifest): string =>
  error.code === "runtime_lost" ? INTERRUPTED : `${tool.name} failed: ${error.message}`;

async function startAgain(
  turn: TurnContext,
  { callId }: StoredCall,
  attempt: number,
  error: string,
): Promise<void> {
  await sleep(BACKOFF_MS * 2 ** (attempt - 2), undefined, { signal: turn.signal });
  await startCall(turn.log, callId, [
    { type: "action.tool_retry", data: { callId, attempt, error } },
  ]);
}

async function invoke(
  { ports, ref, session, signal, claim, agent }: TurnContext,
  call: StoredCall,
  tool: ToolManifest,
): Promise<ToolOutcome> {
  const scope = { toolCallId: call.callId, session, workspace: claim.sessionId };
  const outcome = await ports.invoke(
    ref,
    {
      kind: "tool",
      name: tool.name,
      input: call.input satisfies JsonValue,
      scope,
      approved: false,
    },
    { timeoutMs: tool.timeoutMs, signal },
  );
  // Before anything is cut, so that no half of a secret is left at an end.
  return agent.redactor.json(outcome as ToolOutcome);
}
