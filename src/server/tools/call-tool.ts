import type { ToolManifest } from "../../protocol/manifest";
import type { RuntimeCall } from "../../protocol/runtime-rpc";
import { actorKey, type Ctx } from "../platform/context";
import { newId } from "../platform/id";
import { requirePermission } from "../platform/verb";
import { invoke } from "../sandbox";
import { runtimeRedactor } from "../secrets";
import { type ActiveAgent, loadActiveVersion } from "./active-version";
import { callableTool } from "./callable-tool";
import { recordCall } from "./record-call";
import { approvalRequired, callFailure, toolResult } from "./tool-outcome";

export interface DirectCall {
  toolName: string;
  input: unknown;
  /** Runs a tool that needs an approval; takes the permission `approvals:decide`. */
  approve: boolean;
  /** Ends the call when whoever asked has gone. */
  signal?: AbortSignal;
}

export interface CallOutcome {
  toolName: string;
  callId: string;
  isError: boolean;
  result: unknown;
  durationMs: number;
}

/** A call on its own: its identity is its id, its folder is made for it and removed after it. */
const directCall = (ctx: Ctx, callId: string, call: DirectCall): RuntimeCall => ({
  kind: "tool",
  name: call.toolName,
  input: call.input,
  approved: call.approve,
  scope: {
    toolCallId: callId,
    session: {
      id: callId,
      channel: "http",
      mode: "chat",
      auth: {
        principal: actorKey(ctx.actor),
        ...(ctx.actor.label === undefined ? {} : { label: ctx.actor.label }),
      },
      dryRun: false,
    },
    workspace: callId,
    scratch: true,
  },
});

function requireGate(ctx: Ctx, tool: ToolManifest, approve: boolean): void {
  if (approve) requirePermission(ctx, "approvals:decide");
  else if (tool.needsApproval === "always") throw approvalRequired(tool.name);
}

/**
 * Runs a server tool of the active version without a model turn and without a session.
 * @throws AppError `forbidden`, `agent_not_deployed`, `unknown_tool`, `tool_not_callable`,
 * `invalid_tool_input`, `approval_required`, `tool_timeout`, `runtime_lost`, `sandbox_failed`.
 */
export async function callTool(
  ctx: Ctx,
  agent: ActiveAgent,
  call: DirectCall,
): Promise<CallOutcome> {
  requirePermission(ctx, "tools:call");
  const loaded = await loadActiveVersion(ctx.orgId, agent);
  const { version } = loaded;
  const tool = callableTool(loaded.manifest, call.toolName);
  requireGate(ctx, tool, call.approve);
  const callId = newId("call");
  const { toolName, approve: approved } = call;
  await recordCall(ctx, { agentId: agent.id, callId, toolName, version, approved });
  const ref = { orgId: ctx.orgId, agentId: agent.id, version };
  const { secretNames } = loaded.manifest;
  const redactor = () => runtimeRedactor({ orgId: ctx.orgId, agentId: agent.id, secretNames });
  const startedAt = performance.now();
  const answer = await invoke(ref, directCall(ctx, callId, call), {
    timeoutMs: tool.timeoutMs,
    repeatable: tool.effect === "read",
    signal: call.signal,
  }).catch(async (error) => {
    throw callFailure(error, (await redactor()).text);
  });
  const durationMs = Math.round(performance.now() - startedAt);
  const { isError, result } = toolResult(toolName, (await redactor()).json(answer));
  return { toolName, callId, isError, result, durationMs };
}
