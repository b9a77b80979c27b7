import { type ModelMessage, streamText } from "ai";
import type { Usage } from "../../protocol/event";
import type { ResolvedModel } from "../models";
import { BrokenAnswer } from "./model-failure";
import type { ModelTiming } from "./model-timing";
import { SilenceWatch } from "./silence-watch";
import { StepText } from "./step-text";
import { type OfferedTools, parentOf, type Thread } from "./thread";

export interface ModelRequest {
  model: ResolvedModel;
  instructions: string;
  messages: ModelMessage[];
  tools: OfferedTools;
  timing: ModelTiming;
}

/** A call as the model asked for it. */
export interface AskedCall {
  providerCallId: string;
  providerName: string;
  input: unknown;
  /** Why the call cannot be run, such as input that is no JSON. */
  invalid?: string;
}

export interface ModelAnswer {
  text: StepText;
  calls: AskedCall[];
  messages: ModelMessage[];
  finishReason: string;
  usage: Usage;
}

/** What a try has seen so far; `output` decides whether it may be repeated. */
export interface TryState {
  output: boolean;
  usage: Usage | undefined;
}

const FINISHED = new Set(["stop", "length", "content-filter", "tool-calls"]);

/**
 * One try of one model call: streams its text to the log as it comes.
 * @param ready resolves when the events before the first delta are in the log.
 * @throws BrokenAnswer, the provider's error, or the signal's reason.
 */
export async function callModel(
  request: ModelRequest,
  thread: Thread,
  step: number,
  { ready, signal, state }: { ready: Promise<void>; signal: AbortSignal; state: TryState },
): Promise<ModelAnswer> {
  const watch = new SilenceWatch(request.timing);
  const result = begin(request, AbortSignal.any([signal, watch.signal]));
  const collected = new Collected(new StepText(thread.turn.log, step, parentOf(thread)), state);
  try {
    await collected.read(result.stream, ready, () => watch.heard());
  } catch (error) {
    throw watch.signal.aborted ? watch.signal.reason : error;
  } finally {
    watch.stop();
  }
  signal.throwIfAborted();
  watch.signal.throwIfAborted();
  await ready;
  if (!collected.whole) {
    throw new BrokenAnswer(`the answer broke off (${collected.finishReason || "no end"})`);
  }
  const { text, calls, finishReason } = collected;
  const messages = (await result.responseMessages).filter(({ role }) => role === "assistant");
  return { text, calls, messages, finishReason, usage: state.usage ?? NO_USAGE };
}

const begin = ({ model, instructions, messages, tools }: ModelRequest, abortSignal: AbortSignal) =>
  streamText({
    model: model.model,
    ...(instructions ? { instructions } : {}),
    messages,
    tools: tools.set,
    ...model.settings,
    providerOptions: model.providerOptions,
    maxRetries: 0,
    abortSignal,
    onError: () => undefined, // errors come through the stream as well
  });

type Part =
  ReturnType<typeof streamText>["stream"] extends AsyncIterable<infer StreamPart>
    ? StreamPart
    : never;

/** What a provider sent, not what the SDK says about it. */
const isOutput = ({ type }: Part): boolean => type !== "start" && type !== "start-step";

/** Gathers the parts of one stream. */
class Collected {
  readonly calls: AskedCall[] = [];
  finishReason = "";

  constructor(
    readonly text: StepText,
    readonly state: TryState,
  ) {}

  /** Whether the answer came to an end and said something. */
  get whole(): boolean {
    return FINISHED.has(this.finishReason) && this.state.output;
  }

  /** Takes every part; text waits until what comes before it is in the log. */
  async read(stream: AsyncIterable<Part>, ready: Promise<void>, heard: () => void): Promise<void> {
    for await (const part of stream) {
      if (isOutput(part)) heard();
      if (part.type === "text-delta" || part.type === "reasoning-delta") await ready;
      this.add(part);
    }
  }

  add(part: Part): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.text.start(KINDS[part.type], part.id);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.state.output ||= part.text !== "";
        this.text.push(KINDS[part.type], part.id, part.text);
        break;
      case "text-end":
      case "reasoning-end":
        this.text.end(KINDS[part.type], part.id);
        break;
      default:
        this.#addOther(part);
    }
  }

  #addOther(part: Part): void {
    switch (part.type) {
      case "tool-call":
        this.state.output = true;
        this.calls.push(toAskedCall(part));
        break;
      case "finish-step":
        this.finishReason = part.finishReason;
        this.state.usage = toUsage(part.usage);
        break;
      case "error":
        throw part.error;
      case "abort":
        throw new BrokenAnswer(part.reason ?? "the model took too long");
      default:
    }
  }
}

const KINDS = {
  "text-start": "message",
  "text-delta": "message",
  "text-end": "message",
  "reasoning-start": "reasoning",
  "reasoning-delta": "reasoning",
  "reasoning-end": "reasoning",
} as const;

const toAskedCall = (part: Extract<Part, { type: "tool-call" }>): AskedCall => ({
  providerCallId: part.toolCallId,
  providerName: part.toolName,
  input: part.input,
  ...("invalid" in part && part.invalid
    ? { invalid: part.error instanceof Error ? part.error.message : "The input is no JSON." }
    : {}),
});

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

interface SdkUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  inputTokenDetails: { cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined };
}

/** What a provider reported, with nothing for what it did not. */
export const toUsage = ({ inputTokens, outputTokens, inputTokenDetails }: SdkUsage): Usage => ({
  inputTokens: inputTokens ?? 0,
  outputTokens: outputTokens ?? 0,
  cacheReadTokens: inputTokenDetails.cacheReadTokens ?? 0,
  cacheWriteTokens: inputTokenDetails.cacheWriteTokens ?? 0,
});
