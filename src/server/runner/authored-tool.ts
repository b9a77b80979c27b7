import type { JSONSchema7 } from "ai";
import type { JsonValue } from "../../protocol/json";
import type { ToolManifest } from "../../protocol/manifest";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { askPeople } from "./approval-gate";
import { toCallResult } from "./call-result";
import { callScope } from "./call-scope";
import type { OfferedTool } from "./offered-tool";
import type { StoredCall } from "./read-conversation";
import type { TurnContext } from "./turn-context";

const ANYTHING: JSONSchema7 = { type: "object", additionalProperties: true };

/** Providers want an object at the root; what a tool really accepts is checked when it runs. */
const parametersOf = (tool: ToolManifest): JSONSchema7 => {
  const schema = (tool.inputSchema ?? ANYTHING) as JSONSchema7;
  return schema.type === "object" ? schema : { ...ANYTHING, ...withoutType(schema) };
};

const withoutType = ({ type: _type, ...rest }: JSONSchema7): JSONSchema7 => rest;

/** A tool of the project's `tools/`, run in the agent's process. */
export const authoredTool = (tool: ToolManifest): OfferedTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: parametersOf(tool),
  effect: tool.effect,
  needsApproval: tool.needsApproval,
  run: async (thread, call) => {
    const outcome = await invoke(thread.turn, call, tool);
    if (outcome.outcome === "approval_required") return await askPeople(thread, call);
    return { state: "done", result: toCallResult(tool.name, outcome) };
  },
});

async function invoke(
  turn: TurnContext,
  call: StoredCall,
  tool: ToolManifest,
): Promise<ToolOutcome> {
  const { ports, ref, signal, agent } = turn;
  const input = call.input satisfies JsonValue;
  const approved = call.approved === true;
  const outcome = await ports.invoke(
    ref,
    { kind: "tool", name: tool.name, input, scope: callScope(turn, call), approved },
    { timeoutMs: tool.timeoutMs, signal },
  );
  // Before anything is cut, so that no half of a secret is left at an end.
  return agent.redactor.json(outcome as ToolOutcome);
}
