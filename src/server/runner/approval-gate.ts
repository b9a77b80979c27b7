import type { GateOutcome } from "../../protocol/runtime-rpc";
import { approvalHash, type Decision, findDecision } from "../approvals";
import { now } from "../platform/platform";
import { SandboxError } from "../sandbox";
import { errorResult, toCallResult } from "./call-result";
import { callScope } from "./call-scope";
import type { StoredCall } from "./read-conversation";
import { requestApproval } from "./step-writes";
import { done, type OfferedTool, type RunOutcome, type Thread } from "./thread";

const GATE_TIMEOUT_MS = 10_000;
const TRIES = 3;

/** `open`: the call may start, by a person's word where `approved`. Else what became of it. */
export type Gate = { state: "open"; approved: boolean } | RunOutcome;

const OPEN: Gate = { state: "open", approved: false };

/**
 * Whether a call may start now. Where its tool needs an approval for this input, people are asked
 * once; the call waits until one of them has decided.
 * @throws TurnFenced
 */
export async function approvalGate(
  thread: Thread,
  call: StoredCall,
  tool: OfferedTool,
): Promise<Gate> {
  if (tool.needsApproval === "never") return OPEN;
  const mayBeAsked = call.asked || thread.turn.resumed.has(call.callId);
  const decision = mayBeAsked ? await findDecision(thread.turn.ref.orgId, call.callId) : undefined;
  if (decision) return decided(thread, call, decision);
  // An interrupted call had passed before.
  return call.started ? OPEN : await judge(thread, call, tool);
}

async function judge(thread: Thread, call: StoredCall, tool: OfferedTool): Promise<Gate> {
  const answer = await askAgent(thread, call);
  switch (answer.outcome) {
    case "open": {
      // The manifest's word counts too; a dry run may answer in the tool's place.
      const always = tool.needsApproval === "always" && !thread.turn.session.dryRun;
      return answer.needsApproval || always ? await askPeople(thread, call) : OPEN;
    }
    case "refused":
      return done(errorResult(answer.message));
    default:
      return done(toCallResult(tool.name, answer));
  }
}

/**
 * What the tool's schema and predicates say about a call, evaluated in the agent's process. That
 * changes nothing, so a process that was lost is asked again.
 */
export async function askAgent(thread: Thread, call: StoredCall): Promise<GateOutcome> {
  const { ports, ref, agent, signal } = thread.turn;
  const { toolName: name, input } = call;
  const gate = { kind: "gate", name, input, scope: callScope(thread.turn, call) } as const;
  for (let tried = 1; ; tried++) {
    try {
      const answer = await ports.invoke(ref, gate, { timeoutMs: GATE_TIMEOUT_MS, signal });
      return agent.redactor.json(answer as GateOutcome);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SandboxError)) throw error;
      if (error.code === "runtime_lost" && tried < TRIES) continue;
      return { outcome: "refused", message: `${name} could not be checked: ${error.message}` };
    }
  }
}

/** Asks people about a call. It has not started, or what had started has done nothing. */
export async function askPeople({ turn }: Thread, call: StoredCall): Promise<{ state: "parked" }> {
  const { agentId, version } = turn.ref;
  const { callId, toolName } = call;
  const input = turn.agent.redactor.json(call.input);
  const expiresAt = new Date(now().getTime() + turn.agent.manifest.approvals.expiresInMs);
  const hash = approvalHash({ toolName, input, version });
  const asked = { callId, agentId, version, toolName, input, hash, expiresAt };
  await requestApproval(turn.log, asked, [
    {
      type: "action.approval_requested",
      data: { callId, toolName, input, expiresAt: expiresAt.toISOString() },
    },
  ]);
  Object.assign(call, { asked: true, started: false, attempt: 0, input });
  return { state: "parked" };
}

function decided(
  { turn }: Thread,
  call: StoredCall,
  { decision, by, reason, hash }: Decision,
): Gate {
  if (decision === "pending") return { state: "parked" };
  if (decision === "deny") {
    const why = reason ? `: ${reason}` : ".";
    return done(errorResult(`Denied by ${by}${why}\nThe call was not run.`));
  }
  const { toolName, input } = call;
  if (approvalHash({ toolName, input, version: turn.ref.version }) !== hash) {
    return done(errorResult("What was approved is not this call, so it was not run."));
  }
  return { state: "open", approved: true };
}
