import type { NewEvent } from "../../protocol/event";
import type { JsonValue } from "../../protocol/json";
import { boundResult } from "../artifacts";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { appendAsOutsider } from "../sessions";
import { beginCall, endCall, requireCallInputSize } from "../turns";
import { gateCall } from "./gate-call";
import { holdLease } from "./hold-lease";
import { requireNotInterrupted } from "./interrupted-call";
import type { PlannedCall } from "./plan-call";
import { recordCall } from "./record-call";
import { loggedResult, type RanCall, runPlanned } from "./run-planned";
import { approvalRequired, isWorkspaceUnavailable } from "./tool-outcome";

export type SessionCall = RanCall & { scratchWorkspace?: boolean };

type CallEvent = Extract<
  NewEvent,
  { type: "actions.requested" | "action.result" | "actions.completed" }
>;

/** What the log says of a call's end. A result too long for it is kept as an artifact. */
async function endEvents(
  { callId, tool, ref }: PlannedCall,
  sessionId: string,
  ran: RanCall,
): Promise<CallEvent[]> {
  const logged = loggedResult(ran);
  const origin = { ...ref, sessionId, callId, toolName: tool.name };
  const { isError, result } = await boundResult(origin, logged);
  const data = { callId, toolName: tool.name, isError, result, durationMs: ran.durationMs };
  const stubbed = logged.stubbed ? { stubbed: true } : {};
  return [
    { type: "action.result", data: { ...data, ...stubbed } },
    { type: "actions.completed", data: { callIds: [callId] } },
  ];
}

const auditOf = ({ callId, tool, ref, approve }: PlannedCall) => ({
  agentId: ref.agentId,
  callId,
  toolName: tool.name,
  version: ref.version,
  approved: approve,
});

/** Logs a call that held nothing, whole and at its end: one that is lost before leaves nothing. */
async function logBeside(plan: PlannedCall, sessionId: string, ran: RanCall): Promise<void> {
  const { callId, tool, input, ctx } = plan;
  const calls = [{ callId, toolName: tool.name, input: input as JsonValue }];
  const requested: CallEvent = { type: "actions.requested", data: { calls } };
  const events = [requested, ...(await endEvents(plan, sessionId, ran))];
  await appendAsOutsider(ctx.orgId, sessionId, events, ran.redactor, newId("trn"));
}

/** Runs beside whatever the session does. */
async function readInSession(plan: PlannedCall, sessionId: string): Promise<SessionCall> {
  await recordCall(plan.ctx, { ...auditOf(plan), sessionId });
  const { scratch: _scratch, ...own } = plan.scope;
  let ran: SessionCall = await runPlanned(plan, { ...own, workspace: sessionId });
  if (isWorkspaceUnavailable(ran.failure)) {
    ran = { ...(await runPlanned(plan)), scratchWorkspace: true };
  }
  await logBeside(plan, sessionId, ran);
  return ran;
}

/** A call whose result is known to be an error is not run. */
async function refuseInSession(plan: PlannedCall, sessionId: string, message: string) {
  await recordCall(plan.ctx, { ...auditOf(plan), sessionId });
  const result = { isError: true, result: message };
  const ran: SessionCall = { durationMs: 0, redactor: await plan.redactor(), result };
  await logBeside(plan, sessionId, ran);
  return ran;
}

const lostSession = (): AppError =>
  new AppError(
    "runtime_lost",
    "The call lost its session before it ended. It may or may not have happened.",
  );

/** Holds the session while it runs; what arrives meanwhile waits behind it. */
async function writeInSession(plan: PlannedCall, sessionId: string): Promise<SessionCall> {
  requireNotInterrupted(plan);
  const { input, scope, ctx } = plan;
  const { scratch: _scratch, ...free } = scope;
  const held = await beginCall(ctx, { ...auditOf(plan), sessionId, input: input as JsonValue });
  const own = { ...free, workspace: sessionId, epoch: held.epoch };
  const { ran, events } = await holdLease(held, plan.signal, async (signal) => {
    const ended = await runPlanned(plan, own, signal);
    return { ran: ended, events: await endEvents(plan, sessionId, ended) };
  });
  const status = ran.failure === undefined ? "completed" : "failed";
  if (await endCall(held, status, events, ran.redactor)) return ran;
  throw lostSession();
}

/**
 * Runs a call in a session of the caller: its workspace, its log, under a turn id of the call's own.
 * @throws AppError `invalid_tool_input`, `approval_required`, `session_busy`, `session_not_found`.
 */
export async function callInSession(plan: PlannedCall, sessionId: string): Promise<SessionCall> {
  requireCallInputSize(plan.input);
  const gate = await gateCall(plan);
  if (gate.refused !== undefined) return await refuseInSession(plan, sessionId, gate.refused);
  const { effect, needsApproval } = gate;
  if (needsApproval && !plan.approve) throw approvalRequired(plan.tool.name);
  if (effect === "write") return await writeInSession(plan, sessionId);
  // Where a function said so: what only reads may be sent again after its worker was lost.
  return await readInSession({ ...plan, tool: { ...plan.tool, effect } }, sessionId);
}
