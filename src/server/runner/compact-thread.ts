import { buildMessages, stepMessages } from "./build-messages";
import { contextWindow } from "./context-window";
import { conversationText } from "./conversation-text";
import { nextInputTokens, tokensOf } from "./estimate-tokens";
import { compactionsOf, type StoredStep, type StoredTurn } from "./read-conversation";
import { recordCompaction } from "./step-writes";
import { summarise } from "./summarise";
import type { Thread } from "./thread";

/** Parts of the window: from where on it is compacted, what stays as it is, what is summed up. */
const FULL = 0.8;
const KEPT = 0.25;
const READ = 0.6;
const BYTES_PER_TOKEN = 4;

/**
 * Puts a summary in the place of a thread's older part when the next call would come near the end
 * of the model's window. A step and its results are never taken apart. The summary is a row: it
 * is made once, whoever goes on with the turn.
 * @param ready resolves when what comes before is in the log
 * @throws TurnError when no summary can be had; TurnFenced
 */
export async function compactThread(
  thread: Thread,
  step: number,
  ready: Promise<void>,
): Promise<void> {
  const { turn, model, parentCallId, own } = thread;
  const window = turn.ports.contextTokens ?? contextWindow(model.modelId);
  const known = compactionsOf(own, parentCallId);
  if (known.some((compaction) => compaction.step === step)) return;
  const beforeTokens = nextInputTokens(thread);
  if (beforeTokens < window * FULL) return;
  const current = thread.history.at(-1);
  if (!current) return;
  const fromStep = firstKept(current.steps, model.provider, window * KEPT);
  const before = olderPart(thread, current, fromStep);
  if (before.length === 0) return;
  await ready;
  const text = conversationText(before);
  const { text: summary, usage } = await summarise(thread, step, lastBytes(text, window * READ));
  const compaction = { step, fromStep, summary, usage };
  known.push(compaction);
  const afterTokens = tokensOf(buildMessages(thread.history, model.provider, parentCallId));
  await recordCompaction(turn.log, { ...compaction, parentCallId }, [
    { type: "context.compacted", data: { fromStep, beforeTokens, afterTokens } },
  ]);
}

/** The first of the last steps that fit into so many tokens. */
function firstKept(steps: readonly StoredStep[], provider: string, tokens: number): number {
  let room = tokens;
  const tooMuch = steps.findLastIndex((step) => {
    room -= tokensOf(stepMessages(step, provider));
    return room < 0;
  });
  return tooMuch + 1;
}

/** What the summary is to stand for; empty when everything would stay. */
function olderPart({ history, parentCallId, model }: Thread, current: StoredTurn, from: number) {
  const earlier = history.slice(0, -1);
  if (from === 0 && earlier.length === 0) return [];
  const steps = current.steps.slice(0, from);
  const part = from === 0 ? earlier : [...earlier, { ...current, steps }];
  return buildMessages(part, model.provider, parentCallId);
}

function lastBytes(text: string, tokens: number): string {
  const bytes = Buffer.from(text);
  const most = Math.floor(tokens * BYTES_PER_TOKEN);
  if (bytes.length <= most) return text;
  return `[…] ${bytes
    .subarray(bytes.length - most)
    .toString("utf8")
    .replace(/^\uFFFD+/, "")}`;
}
