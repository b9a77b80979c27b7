import type { ToolDescription } from "../protocol/description";
import { CodedError } from "./coded-error";
import { toJsonSchema } from "./to-json-schema";

const invalid = (message: string) => new CodedError("invalid_definition", message);

function effectOf(value: unknown): ToolDescription["effect"] {
  if (typeof value === "function") return "function";
  if (value === undefined || value === "write") return "write";
  if (value === "read") return "read";
  throw invalid('effect must be "read", "write" or a function of the input.');
}

function approvalOf(value: unknown): ToolDescription["needsApproval"] {
  if (typeof value === "function") return "function";
  if (value === undefined || typeof value === "boolean") return value ? "always" : "never";
  // Anything else would leave a gate open that somebody meant to close.
  throw invalid("needsApproval must be true, false or a function of the input.");
}

function timeoutOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw invalid("timeoutMs must be a positive whole number of milliseconds.");
}

function timeArgsOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw invalid("timeArgs must be a list of input property names.");
}

function checkForm(tool: Record<string, unknown>): void {
  if (typeof tool.description !== "string" || tool.description.trim() === "") {
    throw invalid("a tool needs a description, written for the model.");
  }
  const { execution } = tool;
  if (execution !== undefined && execution !== "server" && execution !== "agent") {
    throw invalid('execution must be "server" or "agent".');
  }
  if (execution === "agent" && typeof tool.script !== "string") {
    throw invalid('a tool with execution: "agent" needs a script.');
  }
  if (execution !== "agent" && typeof tool.execute !== "function") {
    throw invalid("a tool needs an execute function.");
  }
}

/** A tool's definition as the manifest says it. Throws `invalid_definition` for what is no tool. */
export async function describeTool(
  tool: Record<string, unknown>,
): Promise<{ tool: ToolDescription; warnings: string[] }> {
  checkForm(tool);
  const input = await toJsonSchema(tool.inputSchema);
  const output = await toJsonSchema(tool.outputSchema);
  const timeoutMs = timeoutOf(tool.timeoutMs);
  const warnings: string[] = [];
  if (input.warning) warnings.push(`inputSchema ${input.warning}`);
  if (output.warning) warnings.push(`outputSchema ${output.warning}`);
  return {
    warnings,
    tool: {
      description: String(tool.description),
      execution: tool.execution === "agent" ? "agent" : "server",
      ...(typeof tool.script === "string" ? { script: tool.script } : {}),
      ...(input.schema ? { inputSchema: input.schema } : {}),
      ...(output.schema ? { outputSchema: output.schema } : {}),
      effect: effectOf(tool.effect),
      needsApproval: approvalOf(tool.needsApproval),
      timeArgs: timeArgsOf(tool.timeArgs),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      dryRunResult: tool.dryRunResult !== undefined,
    },
  };
}
