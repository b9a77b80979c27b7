import type { ToolManifest } from "../../protocol/manifest";
import type { CallScope, CallSession } from "../../protocol/runtime-rpc";
import { unknownTimeArgs } from "../../protocol/time-args";
import type { AgentVersion } from "../agents";
import { actorKey, type Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { now } from "../platform/platform";
import { runtimeRedactor } from "../secrets";
import type { Redactor } from "../sessions";
import type { Binding, CallSessionRow } from "./bind-call";
import { callableTool } from "./callable-tool";

export interface DirectCall {
  toolName: string;
  input: unknown;
  /** Runs a tool that needs an approval; takes the permission `approvals:decide`. */
  approve: boolean;
  /** Binds the call to a session; at most one of the two. */
  sessionId?: string | undefined;
  continuationToken?: string | undefined;
  dryRun?: boolean | undefined;
  /** Freezes the call at an instant, ISO 8601. */
  asOf?: string | undefined;
  /** Ends the call when whoever asked has gone. */
  signal?: AbortSignal | undefined;
}

/** A direct call that has everything it takes to run. */
export interface PlannedCall {
  ctx: Ctx;
  ref: { orgId: string; agentId: string; version: number };
  tool: ToolManifest;
  callId: string;
  input: unknown;
  approve: boolean;
  /** The call as tenant code sees it; its folder is a scratch one. */
  scope: CallScope;
  /** Takes the version's secrets, as they are now, out of what it said. */
  redactor(): Promise<Redactor>;
  signal: AbortSignal | undefined;
}

/** The earlier of two instants: a frozen session cannot be thawed. */
function earlier(session: Date | null | undefined, asked: string | undefined): Date | undefined {
  const instants = [session ?? undefined, asked === undefined ? undefined : new Date(asked)];
  const known = instants.filter((instant) => instant !== undefined);
  return known.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

const keyOf = ({ channel, continuation_token: token }: CallSessionRow): string =>
  token.startsWith(`${channel}:`) ? token.slice(channel.length + 1) : token;

function identityOf({ session, token }: Binding, callId: string) {
  if (session) {
    const { id, channel, mode } = session;
    return { id, channel, mode, continuationKey: keyOf(session) };
  }
  const alone = { id: callId, channel: "http", mode: "chat" as const };
  return token ? { ...alone, channel: token.channel, continuationKey: token.key } : alone;
}

function sessionOf(ctx: Ctx, call: DirectCall, binding: Binding, callId: string): CallSession {
  const asOf = earlier(binding.session?.as_of, call.asOf);
  const { label } = ctx.actor;
  return {
    ...identityOf(binding, callId),
    auth: { principal: actorKey(ctx.actor), ...(label === undefined ? {} : { label }) },
    dryRun: call.dryRun === true || binding.session?.dry_run === true,
    ...(asOf === undefined ? {} : { asOf: asOf.toISOString() }),
  };
}

function requirePast(asOf: string | undefined): void {
  if (asOf === undefined || Date.parse(asOf) <= now().getTime()) return;
  const message = "asOf must not be in the future.";
  throw new AppError("invalid_request", message, {
    details: { issues: [{ path: "asOf", message }] },
  });
}

function requireTimeArgs(tool: ToolManifest, { asOf }: CallSession): void {
  const unknown = asOf === undefined ? [] : unknownTimeArgs(tool);
  if (unknown.length === 0) return;
  const names = unknown.join(", ");
  throw new AppError(
    "invalid_time_args",
    `timeArgs of ${tool.name} name ${names}, which its input schema does not have. Correct the tool.`,
  );
}

/**
 * Joins a call with the version that runs it and the session it belongs to.
 * @throws AppError `unknown_tool`, `tool_not_callable`, `invalid_request`, `invalid_time_args`.
 */
export function planCall(
  ctx: Ctx,
  agentId: string,
  { manifest, version }: AgentVersion,
  call: DirectCall,
  binding: Binding,
): PlannedCall {
  const tool = callableTool(manifest, call.toolName);
  requirePast(call.asOf);
  const callId = newId("call");
  const session = sessionOf(ctx, call, binding, callId);
  requireTimeArgs(tool, session);
  const { orgId } = ctx;
  const { secretNames } = manifest;
  return {
    ctx,
    ref: { orgId, agentId, version },
    tool,
    callId,
    input: call.input,
    approve: call.approve,
    scope: { toolCallId: callId, session, workspace: callId, scratch: true },
    redactor: () => runtimeRedactor({ orgId, agentId, secretNames }),
    signal: call.signal,
  };
}
