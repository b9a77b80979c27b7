import type { JsonValue } from "../../protocol/json";
import type { Ctx } from "../platform/context";
import { requirePermission } from "../platform/verb";
import { type ActiveAgent, loadActiveVersion } from "./active-version";
import { bindCall } from "./bind-call";
import { callInSession, type SessionCall } from "./call-in-session";
import { requireNotInterrupted } from "./interrupted-call";
import { type DirectCall, type PlannedCall, planCall } from "./plan-call";
import { recordCall } from "./record-call";
import { runPlanned } from "./run-planned";
import { approvalRequired } from "./tool-outcome";

export interface CallOutcome {
  toolName: string;
  callId: string;
  isError: boolean;
  result: JsonValue;
  durationMs: number;
  /** A dry run answered; the tool did not run. */
  stubbed?: boolean;
  /** The session that the call was bound to. */
  sessionId?: string;
  /** The session's workspace could not be made: the read ran in an empty one. */
  scratchWorkspace?: boolean;
}

/** What is stubbed needs nobody's approval, and only the agent's process knows what that is. */
function requireGate({ tool, approve, scope }: PlannedCall): void {
  if (tool.needsApproval !== "always" || approve || scope.session.dryRun) return;
  throw approvalRequired(tool.name);
}

/** A call on its own: its folder is made for it and removed after it. */
async function callAlone(plan: PlannedCall): Promise<SessionCall> {
  const { ctx, ref, callId, tool, approve: approved } = plan;
  const { agentId, version } = ref;
  if (tool.effect !== "read") requireNotInterrupted(plan);
  await recordCall(ctx, { agentId, callId, toolName: tool.name, version, approved });
  return await runPlanned(plan);
}

function outcomeOf(
  { tool, callId }: PlannedCall,
  ran: SessionCall,
  sessionId: string | undefined,
): CallOutcome {
  const { result, durationMs, scratchWorkspace } = ran;
  if (!result) throw ran.failure;
  const bound = sessionId === undefined ? {} : { sessionId };
  const marked = scratchWorkspace ? { scratchWorkspace } : {};
  return { toolName: tool.name, callId, ...result, durationMs, ...bound, ...marked };
}

/**
 * Runs a server tool of the active version without a model turn: on its own, or in a session of the
 * caller.
 * @throws AppError `forbidden`, `agent_not_deployed`, `unknown_tool`, `tool_not_callable`,
 * `invalid_tool_input`, `invalid_time_args`, `approval_required`, `invalid_continuation_token`,
 * `session_not_found`, `session_busy`, `workspace_unavailable`, `tool_timeout`, `output_too_large`,
 * `runtime_lost`, `call_interrupted`, `sandbox_failed`.
 */
export async function callTool(
  ctx: Ctx,
  agent: ActiveAgent,
  call: DirectCall,
): Promise<CallOutcome> {
  requirePermission(ctx, "tools:call");
  if (call.approve) requirePermission(ctx, "approvals:decide");
  const version = await loadActiveVersion(ctx.orgId, agent);
  const binding = await bindCall(ctx, agent.id, call);
  const plan = planCall(ctx, agent.id, version, call, binding);
  requireGate(plan);
  const sessionId = binding.session?.id;
  const ran = sessionId ? await callInSession(plan, sessionId) : await callAlone(plan);
  return outcomeOf(plan, ran, sessionId);
}
