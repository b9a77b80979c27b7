import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import { providerToolName } from "./provider-tool-name";
import type { StoredCall, StoredMessage, StoredStep, StoredTurn } from "./read-conversation";
import { toModelOutput } from "./tool-output";

const UNFINISHED = "The call was interrupted. It may or may not have happened.";

/** The conversation for a provider: messages, answers and results of all turns, oldest first. */
export const buildMessages = (turns: readonly StoredTurn[], provider: string): ModelMessage[] =>
  turns.flatMap((turn) => [
    ...turn.steps.flatMap((step) => [
      ...messagesAt(turn, step.step),
      ...stepMessages(step, provider),
    ]),
    ...messagesAfter(turn),
  ]);

/** Messages that a step is the first to see. */
const messagesAt = ({ messages }: StoredTurn, step: number): ModelMessage[] =>
  messages.filter(({ atStep }) => atStep === step).map(toUserMessage);

/** Messages that no step of the turn has seen yet. */
const messagesAfter = ({ messages, steps }: StoredTurn): ModelMessage[] =>
  messages.filter(({ atStep }) => atStep >= steps.length).map(toUserMessage);

const toUserMessage = ({ text }: StoredMessage): ModelMessage => ({ role: "user", content: text });

/** A step's answer, and the results of its calls. */
export function stepMessages(step: StoredStep, provider: string): ModelMessage[] {
  const answers = step.provider === provider ? step.messages : step.messages.map(withoutReasoning);
  if (step.calls.length === 0) return answers;
  return [...answers, resultMessage(step.calls)];
}

/** Another provider's reasoning is signed for that provider, and its metadata means nothing here. */
function withoutReasoning(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const content = message.content.flatMap((part) => {
    if (part.type !== "text" && part.type !== "tool-call") return [];
    const { providerOptions: _options, ...plain } = part;
    return [plain];
  });
  return { role: "assistant", content } satisfies AssistantModelMessage;
}

const resultMessage = (calls: readonly StoredCall[]): ToolModelMessage => ({
  role: "tool",
  content: calls.map((call) => ({
    type: "tool-result",
    toolCallId: call.callId,
    toolName: providerToolName(call.toolName),
    output: call.finished
      ? toModelOutput(call.result, call.isError)
      : { type: "error-text", value: UNFINISHED },
  })),
});
