import type { ModelMessage } from "ai";
import { buildMessages, stepMessages } from "./build-messages";
import type { StoredStep } from "./read-conversation";
import type { Thread } from "./thread";

const BYTES_PER_TOKEN = 4;

/** About how many tokens messages are; nobody can know before the provider counts them. */
export const tokensOf = (messages: readonly ModelMessage[]): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / BYTES_PER_TOKEN);

/**
 * About how many tokens the next call of a thread would send: what the provider counted for the
 * last one and what came since, else counted by bytes.
 */
export function nextInputTokens({ history, parentCallId, model }: Thread): number {
  const last = history.flatMap(({ steps }) => steps).at(-1);
  if (!last || last.usage.inputTokens === 0) {
    return tokensOf(buildMessages(history, model.provider, parentCallId));
  }
  const { inputTokens, outputTokens } = last.usage;
  return inputTokens + outputTokens + tokensOf(sinceStep(last, model.provider));
}

const sinceStep = (step: StoredStep, provider: string): ModelMessage[] =>
  stepMessages(step, provider).filter(({ role }) => role === "tool");
