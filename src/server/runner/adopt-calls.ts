import type { ModelMessage } from "ai";
import type { JsonValue } from "../../protocol/json";
import { newId } from "../platform/id";
import type { ModelAnswer } from "./call-model";
import type { StoredCall } from "./read-conversation";
import type { OfferedTools } from "./thread";

export interface AdoptedCalls {
  calls: StoredCall[];
  /** The answer's messages with our call ids: a provider may use one id twice. */
  messages: ModelMessage[];
}

/**
 * Gives the calls of an answer ids of our own and the tools' own names.
 * @param redact for the names that the model made up
 */
export function adoptCalls(
  answer: ModelAnswer,
  tools: OfferedTools,
  step: number,
  redact: (text: string) => string,
): AdoptedCalls {
  const calls = answer.calls.map((asked): StoredCall => {
    const tool = tools.byProviderName.get(asked.providerName);
    const refused = asked.invalid !== undefined && tool !== undefined;
    return {
      callId: newId("call"),
      step,
      toolName: tool?.name ?? redact(asked.providerName),
      input: (asked.input ?? {}) as JsonValue,
      attempt: 1,
      started: tool !== undefined && !refused && tool.needsApproval === "never",
      finished: false,
      isError: refused,
      result: refused ? `The input is not valid: ${asked.invalid}` : null,
      artifactId: null,
    };
  });
  let next = 0;
  const messages = answer.messages.map((message): ModelMessage => {
    if (message.role !== "assistant" || typeof message.content === "string") return message;
    const content = message.content.map((part) => {
      const call = part.type === "tool-call" ? calls[next++] : undefined;
      return call ? { ...part, toolCallId: call.callId } : part;
    }) as typeof message.content;
    return { ...message, content };
  });
  return { calls, messages };
}
