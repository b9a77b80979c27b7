import type { TurnContext } from "./turn-context";
import { TurnError } from "./turn-error";

const TIMEOUT_MS = 30_000;

/** The system prompt of this turn: from the manifest, or computed in the agent's sandbox. */
export async function turnInstructions({
  agent,
  ports,
  ref,
  session,
  signal,
}: TurnContext): Promise<string> {
  const { instructions } = agent.manifest;
  if (instructions.kind === "static") return instructions.text ?? "";
  try {
    const options = { timeoutMs: TIMEOUT_MS, signal };
    const text = await ports.invoke(ref, { kind: "instructions", session }, options);
    return agent.redactor.text(String(text));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new TurnError("workspace_unavailable", `${instructions.file}: ${reason}`, {
      cause: error,
    });
  }
}
