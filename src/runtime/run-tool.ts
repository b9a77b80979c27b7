import type { RuntimeCall, ToolOutcome } from "../protocol/runtime-rpc";
import { guestError } from "./guest-error";
import { normaliseResult } from "./normalise-result";
import { type PreparedCall, prepareCall } from "./prepare-call";
import { type ContextServices, createToolContext } from "./tool-context";

type ToolCall = Extract<RuntimeCall, { kind: "tool" }>;
type Ready = Extract<PreparedCall, { ready: true }>;
type NotReady = Extract<PreparedCall, { ready: false }>;

export interface ToolServices extends ContextServices {
  /** Told what a tool threw, for the agent's log. */
  onThrown: (text: string) => void;
}

const ACKNOWLEDGED = "Operation acknowledged.";

const withoutRunning = ({ outcome }: NotReady): ToolOutcome =>
  outcome.outcome === "refused"
    ? { outcome: "returned", result: outcome.message, isError: true }
    : outcome;

async function dryRunAnswer({ tool, input }: Ready): Promise<unknown> {
  const { dryRunResult } = tool;
  const answer = typeof dryRunResult === "function" ? await dryRunResult(input) : dryRunResult;
  return dryRunResult === undefined ? ACKNOWLEDGED : answer;
}

async function stubbed(ready: Ready, thrown: (error: unknown) => string): Promise<ToolOutcome> {
  const marks = { effect: ready.effect, stubbed: true };
  try {
    return { ...normaliseResult(await dryRunAnswer(ready)), ...marks };
  } catch (error) {
    return { outcome: "returned", result: thrown(error), isError: true, ...marks };
  }
}

async function executed(
  { tool, input, effect }: Ready,
  call: ToolCall,
  services: ToolServices,
  thrown: (error: unknown) => string,
): Promise<ToolOutcome> {
  if (typeof tool.execute !== "function") {
    return { outcome: "threw", message: `${call.name} has no execute function to call.` };
  }
  try {
    const ctx = createToolContext(call.scope, services);
    return { ...normaliseResult(await tool.execute(input, ctx)), effect };
  } catch (error) {
    return { outcome: "threw", message: thrown(error), effect };
  }
}

/**
 * Runs one tool call: load, validate, decide, execute, normalise. In a dry run what would change
 * something is answered in its place. Tenant errors become outcomes.
 */
export async function runTool(call: ToolCall, services: ToolServices): Promise<ToolOutcome> {
  const thrown = (raw: unknown): string => {
    const error = guestError(raw);
    services.onThrown(error.stack ?? `${error.name}: ${error.message}`);
    return error.message;
  };
  try {
    const prepared = await prepareCall(services.bundle, call);
    if (!prepared.ready) return withoutRunning(prepared);
    if (prepared.needsApproval && !call.approved) return { outcome: "approval_required" };
    if (prepared.stub) return await stubbed(prepared, thrown);
    return await executed(prepared, call, services, thrown);
  } catch (error) {
    return { outcome: "threw", message: thrown(error) };
  }
}
