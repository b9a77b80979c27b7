import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import { providerToolName } from "./provider-tool-name";
import type { StoredCall, StoredMessage, StoredStep, StoredTurn } from "./read-conversation";
import { type ToolOutput, toModelOutput } from "./tool-output";

const UNFINISHED = "The call was interrupted. It may or may not have happened.";
const NOT_RUN = "The call was not run: its turn ended first.";

/**
 * The conversation of a thread for a provider, oldest first: the last summary and what came after
 * it, else all turns with their messages, answers and results.
 */
export function buildMessages(
  turns: readonly StoredTurn[],
  provider: string,
  parentCallId = "",
): ModelMessage[] {
  const summaries = (turn: StoredTurn) => turn.compactions.get(parentCallId) ?? [];
  const start = turns.findLastIndex((turn) => summaries(turn).length > 0);
  const first = turns[start];
  const compaction = first && summaries(first).at(-1);
  if (!compaction) return turns.flatMap((turn) => turnMessages(turn, provider));
  const { summary, fromStep } = compaction;
  return [
    { role: "user", content: `What happened before, summed up:\n${summary}` },
    ...turnMessages(since(first, fromStep), provider),
    ...turns.slice(start + 1).flatMap((turn) => turnMessages(turn, provider)),
  ];
}

/** A turn from one of its steps on; what people said in it stays whole. */
const since = (turn: StoredTurn, fromStep: number): StoredTurn => ({
  ...turn,
  steps: turn.steps.filter(({ step }) => step >= fromStep),
  messages: turn.messages.map((each) => ({ ...each, atStep: Math.max(each.atStep, fromStep) })),
});

const turnMessages = (turn: StoredTurn, provider: string): ModelMessage[] => [
  ...turn.steps.flatMap((step) => [
    ...messagesAt(turn, step.step),
    ...stepMessages(step, provider),
  ]),
  ...messagesAfter(turn),
];

/** Messages that a step is the first to see. */
const messagesAt = ({ messages }: StoredTurn, step: number): ModelMessage[] =>
  messages.filter(({ atStep }) => atStep === step).map(toUserMessage);

/** Messages that no step of the turn has seen yet. */
const messagesAfter = ({ messages, steps }: StoredTurn): ModelMessage[] => {
  const last = steps.at(-1)?.step ?? -1;
  return messages.filter(({ atStep }) => atStep > last).map(toUserMessage);
};

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
      ? naming(call.artifactId, toModelOutput(call.result, call.isError))
      : { type: "error-text", value: call.started ? UNFINISHED : NOT_RUN },
  })),
});

/** A result that is cut names the artifact that holds all of it, where the model still sees it. */
const naming = (artifactId: string | null, output: ToolOutput): ToolOutput =>
  artifactId !== null && (output.type === "text" || output.type === "error-text")
    ? { ...output, value: `${output.value}\nAll of it is the artifact ${artifactId}.` }
    : output;
