import { SandboxError } from "../sandbox";
import type { TurnContext } from "./turn-context";
import { TurnError } from "./turn-error";

const TIMEOUT_MS = 30_000;
/** How often a process that is lost is asked again: it computes a text and changes nothing. */
const TRIES = 3;

/** The system prompt of this turn: from the manifest, or computed in the agent's sandbox. */
export async function turnInstructions(turn: TurnContext): Promise<string> {
  const { agent, signal } = turn;
  const { instructions } = agent.manifest;
  if (instructions.kind === "static") return instructions.text ?? "";
  try {
    return agent.redactor.text(String(await compute(turn)));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new TurnError("workspace_unavailable", `${instructions.file}: ${reason}`, {
      cause: error,
    });
  }
}

async function compute(turn: TurnContext, tried = 1): Promise<unknown> {
  const { ports, ref, session, signal } = turn;
  try {
    const options = { timeoutMs: TIMEOUT_MS, signal };
    return await ports.invoke(ref, { kind: "instructions", session }, options);
  } catch (error) {
    signal.throwIfAborted();
    const lost = error instanceof SandboxError && error.code === "runtime_lost";
    if (lost && tried < TRIES) return await compute(turn, tried + 1);
    throw error;
  }
}
