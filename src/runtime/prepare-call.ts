import type { CallScope, GateOutcome, ToolEffect } from "../protocol/runtime-rpc";
import { CodedError } from "./coded-error";
import { type Bundle, loaderOf } from "./definitions";
import { TAG_ARTIFACT, tagArtifactTool } from "./tag-artifact-tool";
import { timeArgRefusal } from "./time-arg-refusal";
import type { ToolContext } from "./tool-context";
import { validateInput } from "./validate-input";

/** A tool as its module exports it: any shape a tenant may have written. */
export interface ToolDefinition {
  inputSchema?: unknown;
  effect?: unknown;
  needsApproval?: unknown;
  dryRunResult?: unknown;
  timeArgs?: unknown;
  execute?: (input: unknown, ctx: ToolContext) => unknown;
}

export interface AskedCall {
  name: string;
  input: unknown;
  scope: CallScope;
}

/** A call that may run, or how it ends without running. */
export type PreparedCall =
  | {
      ready: true;
      tool: ToolDefinition;
      /** Validated, with defaults. */
      input: unknown;
      effect: ToolEffect;
      /** A dry run answers in the tool's place. */
      stub: boolean;
      needsApproval: boolean;
    }
  | { ready: false; outcome: Exclude<GateOutcome, { outcome: "open" }> };

async function effectOf({ effect }: ToolDefinition, input: unknown): Promise<ToolEffect> {
  if (typeof effect !== "function") return effect === "read" ? "read" : "write";
  try {
    return (await effect(input)) === "read" ? "read" : "write";
  } catch {
    // What is not known to read is held to change something.
    return "write";
  }
}

async function gatedBy({ needsApproval }: ToolDefinition, input: unknown): Promise<boolean> {
  if (typeof needsApproval !== "function") return needsApproval === true;
  try {
    return Boolean(await needsApproval(input));
  } catch {
    // A predicate that fails must not open the gate.
    return true;
  }
}

async function loadTool(bundle: Bundle, name: string): Promise<ToolDefinition | undefined> {
  if (name === TAG_ARTIFACT) return tagArtifactTool;
  const load = loaderOf(bundle, "tools", name);
  if (!load) return undefined;
  const tool = (await load()).default;
  if (typeof tool !== "object" || tool === null) {
    throw new CodedError("invalid_definition", `${name} exports no tool as its default.`);
  }
  return tool;
}

function refusedTime({ timeArgs }: ToolDefinition, { input, scope }: AskedCall) {
  const { asOf } = scope.session;
  return asOf === undefined || !Array.isArray(timeArgs)
    ? undefined
    : timeArgRefusal(timeArgs.map(String), input, asOf);
}

/**
 * Loads a tool, validates the input, and decides what the call would be. Runs the tenant's schema
 * and predicates, never the tool. Rejects with what the tool's module or schema threw.
 */
export async function prepareCall(bundle: Bundle, call: AskedCall): Promise<PreparedCall> {
  const tool = await loadTool(bundle, call.name);
  if (!tool) return { ready: false, outcome: { outcome: "unknown_tool" } };
  const validated = await validateInput(tool.inputSchema, call.input);
  if (!validated.ok) {
    const message = `The input of ${call.name} does not match its schema.`;
    const { issues } = validated;
    return { ready: false, outcome: { outcome: "invalid_input", message, issues } };
  }
  // What the caller wrote is judged, not what the schema made of it: a default is no bound.
  const refusal = refusedTime(tool, call);
  if (refusal) return { ready: false, outcome: { outcome: "refused", message: refusal } };
  const input = validated.value;
  const effect = await effectOf(tool, input);
  const stub = call.scope.session.dryRun && effect === "write";
  const needsApproval = !stub && (await gatedBy(tool, input));
  return { ready: true, tool, input, effect, stub, needsApproval };
}
