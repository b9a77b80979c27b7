import { setTimeout as sleep } from "node:timers/promises";
import { streamText } from "ai";
import type { Usage } from "../../protocol/event";
import { recordUsage } from "../usage";
import { NO_USAGE, toUsage } from "./call-model";
import { BrokenAnswer, retryDelay, toTurnError } from "./model-failure";
import { DEFAULT_TIMING } from "./model-timing";
import { SilenceWatch } from "./silence-watch";
import type { Thread } from "./thread";

const INSTRUCTIONS =
  "You sum up conversations between people and an agent so that the agent can go on from the summary alone. Keep what was asked, what was decided and found out, names, paths, numbers and ids, what is done and what is left to do. Write nothing else.";

export interface Summary {
  text: string;
  usage: Usage & { costUsd?: number };
}

/**
 * One model call that sums a conversation up, with bounded retries; in the ledger like any other.
 * @throws TurnError `model_error`, `model_rate_limited`; the signal's reason.
 */
export async function summarise(thread: Thread, step: number, text: string): Promise<Summary> {
  const { turn, model } = thread;
  const timing = turn.ports.timing ?? DEFAULT_TIMING;
  for (let tried = 1; ; tried++) {
    try {
      return await ask(thread, step, text, tried);
    } catch (error) {
      turn.signal.throwIfAborted();
      const failure = { error, output: false };
      const delay = retryDelay(failure, tried, timing);
      if (delay === undefined) throw toTurnError(failure, model.label);
      await sleep(delay, undefined, { signal: turn.signal });
    }
  }
}

async function ask(thread: Thread, step: number, text: string, tried: number): Promise<Summary> {
  const { turn, model, parentCallId } = thread;
  const said = await say(thread, text);
  const { usage } = said;
  const { orgId, turnId, sessionId, agentId, attempt } = turn.claim;
  const costUsd = await recordUsage({
    ...{ orgId, turnId, sessionId, agentId, attempt, parentCallId, step, usage },
    ...{ try: 1 - tried, provider: model.provider, modelId: model.modelId },
  });
  const summary = turn.agent.redactor.text(said.text.trim());
  if (summary === "") throw new BrokenAnswer("the summary was empty");
  return { text: summary, usage: costUsd === undefined ? usage : { ...usage, costUsd } };
}

/** @throws what the provider answered, BrokenAnswer when it said nothing for too long */
async function say({ turn, model }: Thread, text: string): Promise<{ text: string; usage: Usage }> {
  const watch = new SilenceWatch(turn.ports.timing ?? DEFAULT_TIMING);
  const result = streamText({
    model: model.model,
    instructions: INSTRUCTIONS,
    messages: [{ role: "user", content: `<conversation>\n${text}\n</conversation>\n\nSum it up.` }],
    ...model.settings,
    providerOptions: model.providerOptions,
    maxRetries: 0,
    abortSignal: AbortSignal.any([turn.signal, watch.signal]),
    onError: () => undefined, // errors come through the stream as well
  });
  const said = { text: "", usage: NO_USAGE };
  try {
    for await (const part of result.stream) {
      watch.heard();
      if (part.type === "text-delta") said.text += part.text;
      if (part.type === "finish-step") said.usage = toUsage(part.usage);
      if (part.type === "error") throw part.error;
    }
  } finally {
    watch.stop();
  }
  watch.signal.throwIfAborted();
  turn.signal.throwIfAborted();
  return said;
}
