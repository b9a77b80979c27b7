import type { RuntimeCall, ToolOutcome } from "../protocol/runtime-rpc";
import { type Bundle, loaderOf } from "./definitions";
import { guestError } from "./guest-error";
import type { HostCaller } from "./host-calls";
import { normaliseResult } from "./normalise-result";
import { createToolContext, type Folders, type ToolContext } from "./tool-context";
import { validateInput } from "./validate-input";

type ToolCall = Extract<RuntimeCall, { kind: "tool" }>;

/** A tool as its module exports it: any shape a tenant may have written. */
interface ToolDefinition {
  inputSchema?: unknown;
  needsApproval?: unknown;
  execute?: (input: unknown, ctx: ToolContext) => unknown;
}

export interface ToolServices {
  bundle: Bundle;
  host: HostCaller;
  folders: Folders;
  signal: AbortSignal;
  /** Told what a tool threw, for the agent's log. */
  onThrown: (text: string) => void;
}

async function needsApproval(tool: ToolDefinition, input: unknown): Promise<boolean> {
  if (typeof tool.needsApproval !== "function") return tool.needsApproval === true;
  try {
    return Boolean(await tool.needsApproval(input));
  } catch {
    // A predicate that fails must not open the gate.
    return true;
  }
}

async function runLoaded(
  tool: ToolDefinition,
  call: ToolCall,
  services: ToolServices,
): Promise<ToolOutcome> {
  if (typeof tool.execute !== "function") {
    return { outcome: "threw", message: `${call.name} has no execute function to call.` };
  }
  const input = await validateInput(tool.inputSchema, call.input);
  if (!input.ok) {
    const message = `The input of ${call.name} does not match its schema.`;
    return { outcome: "invalid_input", message, issues: input.issues };
  }
  if (!call.approved && (await needsApproval(tool, input.value))) {
    return { outcome: "approval_required" };
  }
  const { signal, host, folders } = services;
  const ctx = createToolContext(call.scope, signal, host, folders);
  return normaliseResult(await tool.execute(input.value, ctx));
}

/** Runs one tool call: load, validate, gate, execute, normalise. Tenant errors become outcomes. */
export async function runTool(call: ToolCall, services: ToolServices): Promise<ToolOutcome> {
  const load = loaderOf(services.bundle, "tools", call.name);
  if (!load) return { outcome: "unknown_tool" };
  try {
    const tool = (await load()).default;
    if (typeof tool !== "object" || tool === null) {
      return { outcome: "threw", message: `${call.name} exports no tool as its default.` };
    }
    return await runLoaded(tool, call, services);
  } catch (thrown) {
    const error = guestError(thrown);
    services.onThrown(error.stack ?? `${error.name}: ${error.message}`);
    return { outcome: "threw", message: error.message };
  }
}
