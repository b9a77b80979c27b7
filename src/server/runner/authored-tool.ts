import type { JSONSchema7 } from "ai";
import type { JsonValue } from "../../protocol/json";
import type { ToolManifest } from "../../protocol/manifest";
import type { ToolOutcome } from "../../protocol/runtime-rpc";
import { askPeople } from "./approval-gate";
import { toCallResult } from "./call-result";
import { callScope } from "./call-scope";
import type { StoredCall } from "./read-conversation";
import { done, type OfferedTool } from "./thread";
import type { TurnContext } from "./turn-context";

const ANYTHING: JSONSchema7 = { type: "object", additionalProperties: true };

/** Providers want an object at the root; what a tool really accepts is checked when it runs. */
export const inputSchemaOf = (tool: ToolManifest): JSONSchema7 => {
  const schema = (tool.inputSchema ?? ANYTHING) as JSONSchema7;
  return schema.type === "object" ? schema : { ...ANYTHING, ...withoutType(schema) };
};

const withoutType = ({ type: _type, ...rest }: JSONSchema7): JSONSchema7 => rest;

/** A tool of the project's `tools/`, run in the agent's process. */
export const authoredTool = (tool: ToolManifest): OfferedTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: inputSchemaOf(tool),
  effect: tool.effect,
  needsApproval: tool.needsApproval,
  run: async (thread, call) => {
    const { turn } = thread;
    await turn.workspace.ready();
    const outcome = await invoke(turn, call, tool);
    // A predicate that says now what it did not say before: nothing of the tool has run.
    if (outcome.outcome === "approval_required") return await askPeople(thread, call);
    return done(toCallResult(tool.name, outcome), mayHaveChanged(outcome));
  },
});

/** A tool that declares to read is believed; one that did not run changed nothing. */
const mayHaveChanged = (outcome: ToolOutcome): boolean =>
  "effect" in outcome &&
  outcome.effect === "write" &&
  !(outcome.outcome === "returned" && outcome.stubbed);

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
