import type { Manifest } from "../../protocol/manifest";
import { ModelNotConfigured, resolveModel } from "../models";
import { compactionsOf, emptyTurn, type StoredTurn, stepsOf } from "./read-conversation";
import { runThread } from "./run-thread";
import { systemPrompt } from "./system-prompt";
import type { OfferedTools, Thread } from "./thread";
import { toolSet } from "./tool-set";
import { TurnError } from "./turn-error";

type Subagent = Manifest["subagents"][number];

export type SubagentEnd = { status: "finished" | "failed"; text: string } | { status: "parked" };

const DEFAULT_INSTRUCTIONS =
  "You are a subagent: you do one job for the agent that calls you. Answer with the result of the job alone; nobody can answer questions.";

/** Failures of one thread that its parent may go on from. */
const OWN_FAILURES: ReadonlySet<string> = new Set([
  "step_limit",
  "model_error",
  "model_rate_limited",
  "model_not_configured",
  "no_text",
]);

/**
 * Runs a subagent for a `task` call, from wherever an earlier attempt left it: with its own
 * instructions and model, and all that its parent has but `task`.
 * @throws TurnError, TurnFenced for what ends the whole turn
 */
export async function runSubagent(
  parent: Thread,
  callId: string,
  subagent: Subagent,
  prompt: string,
): Promise<SubagentEnd> {
  try {
    const end = await runThread(childOf(parent, callId, subagent, prompt), (events) =>
      events.length > 0 ? parent.turn.log.append(events) : Promise.resolve(),
    );
    if (end.parked) return { status: "parked" };
    if (end.text === "") throw new TurnError("no_text", "The subagent ended without an answer.");
    return { status: "finished", text: end.text };
  } catch (error) {
    parent.turn.signal.throwIfAborted();
    if (!(error instanceof TurnError) || !OWN_FAILURES.has(error.code)) throw error;
    return { status: "failed", text: `${error.code}: ${error.message}` };
  }
}

function childOf(parent: Thread, callId: string, subagent: Subagent, prompt: string): Thread {
  const { turn, own } = parent;
  const conversation: StoredTurn = {
    ...emptyTurn(own.turnId),
    messages: [{ id: callId, text: prompt, atStep: 0 }],
    steps: stepsOf(own, callId),
    compactions: new Map([[callId, compactionsOf(own, callId)]]),
  };
  const instructions = subagent.instructions?.trim() || DEFAULT_INSTRUCTIONS;
  const tools = withoutDelegates(parent.tools);
  return {
    turn,
    parentCallId: callId,
    ...modelsOf(parent, subagent),
    instructions: systemPrompt(instructions, tools),
    tools,
    history: [conversation],
    own,
  };
}

const withoutDelegates = ({ byName }: OfferedTools): OfferedTools =>
  toolSet([...byName.values()].filter(({ delegates }) => !delegates));

/** Its parent's models, or its own alone. */
function modelsOf(
  { turn, model, fallbacks }: Thread,
  subagent: Subagent,
): Pick<Thread, "model" | "fallbacks"> {
  if (!subagent.model) return { model, fallbacks };
  try {
    return { model: resolveModel(subagent.model, turn.agent.models), fallbacks: [] };
  } catch (error) {
    if (!(error instanceof ModelNotConfigured)) throw error;
    throw new TurnError("model_not_configured", error.message);
  }
}
