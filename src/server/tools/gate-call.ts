import { z } from "zod";
import type { GateOutcome } from "../../protocol/runtime-rpc";
import { AppError } from "../platform/errors";
import { invoke } from "../sandbox";
import type { PlannedCall } from "./plan-call";
import { callFailure, Issues, invalidInput } from "./tool-outcome";

const Outcome = z.discriminatedUnion("outcome", [
  z.object({
    outcome: z.literal("open"),
    effect: z.enum(["read", "write"]),
    needsApproval: z.boolean(),
    input: z.unknown(),
  }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
  z.object({ outcome: z.literal("invalid_input"), message: z.string(), issues: Issues }),
  z.object({ outcome: z.literal("unknown_tool") }),
]) satisfies z.ZodType<GateOutcome>;

/** What a call would be; `refused` is the error it would have as its result without running. */
export type CallGate =
  | { effect: "read" | "write"; needsApproval: boolean; refused?: undefined }
  | { refused: string };

/**
 * Asks the agent's process, which alone knows its schemas and predicates, what a call would be.
 * @throws AppError `invalid_tool_input`, `sandbox_failed`, and what keeps the process from answering.
 */
export async function gateCall(plan: PlannedCall): Promise<CallGate> {
  const { ref, tool, input, scope, signal } = plan;
  const call = { kind: "gate", name: tool.name, input, scope } as const;
  const options = { timeoutMs: tool.timeoutMs, repeatable: true, signal };
  const answer = await invoke(ref, call, options).catch(async (error) => {
    throw callFailure(error, (await plan.redactor()).text);
  });
  const parsed = Outcome.safeParse((await plan.redactor()).json(answer));
  const outcome = parsed.data ?? { outcome: "unknown_tool" };
  switch (outcome.outcome) {
    case "open":
      return { effect: outcome.effect, needsApproval: outcome.needsApproval };
    case "refused":
      return { refused: outcome.message };
    case "invalid_input":
      throw invalidInput(outcome);
    case "unknown_tool":
      throw new AppError("sandbox_failed", `The agent's process cannot answer for ${tool.name}.`);
  }
}
