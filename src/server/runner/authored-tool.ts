import type { JSONSchema7 } from "ai";
import type { JsonValue } from "../../protocol/json";
import type { ToolManifest } from "../../protocol/manifest";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { toCallResult } from "./call-result";
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
  run: async ({ turn }, call) => ({
    state: "done",
    result: toCallResult(tool.name, await invoke(turn, call, tool)),
  }),
});

async function invoke(
  { ports, ref, session, signal, claim, agent }: TurnContext,
  call: StoredCall,
  tool: ToolManifest,
): Promise<ToolOutcome> {
  const scope = { toolCallId: call.callId, session, workspace: claim.sessionId };
  const input = call.input satisfies JsonValue;
  const outcome = await ports.invoke(
    ref,
    { kind: "tool", name: tool.name, input, scope, approved: false },
    { timeoutMs: tool.timeoutMs, signal },
  );
  // Before anything is cut, so that no half of a secret is left at an end.
  return agent.redactor.json(outcome as ToolOutcome);
}
