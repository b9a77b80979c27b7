import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedStep } from "./script";

/** Pieces as a model would send them: words with the space after them. */
const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

function usageOf(step: ScriptedStep, output: number) {
  const { input = 10, output: tokens = output, cached = 0 } = step.usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: tokens,
    total_tokens: input + tokens,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function deltasOf(step: ScriptedStep): object[] {
  return [
    ...pieces(step.reasoning ?? "").map((text) => ({ reasoning_content: text })),
    ...pieces(step.text ?? "").map((text) => ({ content: text })),
    ...(step.calls ?? []).map((call, index) => ({
      tool_calls: [
        {
          index,
          id: call.id ?? `scripted_${index}_${Math.random().toString(36).slice(2, 10)}`,
          type: "function",
          function: {
            name: call.name,
            arguments: typeof call.input === "string" ? call.input : JSON.stringify(call.input),
          },
        },
      ],
    })),
  ];
}

/** Whether the answer ends here, without an end. */
function breaksOff(response: ServerResponse, step: ScriptedStep): boolean {
  if (step.truncate) response.destroy();
  return step.truncate === true || step.hang === "middle";
}

/** Writes one streamed chat completion, or the fault that the step asks for. */
export async function answer(
  response: ServerResponse,
  model: string,
  step: ScriptedStep,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const base = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 0, model };
  const send = (part: object) =>
    response.write(`data: ${JSON.stringify({ ...base, ...part })}\n\n`);
  const deltas = deltasOf(step);
  const middle = Math.ceil(deltas.length / 2);
  send({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] });
  for (const [i, delta] of deltas.entries()) {
    if (step.delayMs) await sleep(step.delayMs);
    if (response.destroyed || (i === middle && breaksOff(response, step))) return;
    send({ choices: [{ index: 0, delta }] });
  }
  const reason = step.finishReason ?? (step.calls?.length ? "tool_calls" : "stop");
  send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  send({ choices: [], usage: usageOf(step, deltas.length) });
  response.end("data: [DONE]\n\n");
}
