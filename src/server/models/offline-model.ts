import type { ModelHandle } from "./create-language-model";
import { type OfflineTurn, offlineAnswer } from "./offline-answer";

/** Id of the built-in model, and its label wherever it shows. */
export const OFFLINE_MODEL = "berth/offline";

type LanguageModelV4 = Extract<ModelHandle, { specificationVersion: "v4" }>;
type CallOptions = Parameters<LanguageModelV4["doStream"]>[0];
type StreamResult = Awaited<ReturnType<LanguageModelV4["doStream"]>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type GenerateResult = Awaited<ReturnType<LanguageModelV4["doGenerate"]>>;

/** A deterministic model without a network: for demos, and where a key is missing. */
export const createOfflineModel = (): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "berth",
  modelId: "offline",
  supportedUrls: {},
  doGenerate: (options) => Promise.resolve(generate(options)),
  doStream: (options) => Promise.resolve({ stream: streamOf(stream(options)) }),
});

function streamOf<T>(parts: Iterable<T>): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function generate(options: CallOptions): GenerateResult {
  const content: GenerateResult["content"] = [];
  const parts = [...stream(options)];
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  if (text) content.push({ type: "text", text });
  for (const part of parts) if (part.type === "tool-call") content.push(part);
  const finish = parts.find((part) => part.type === "finish");
  if (!finish) throw new Error("the offline model did not finish");
  return { content, finishReason: finish.finishReason, usage: finish.usage, warnings: [] };
}

function* stream(options: CallOptions): Generator<StreamPart> {
  const turn = readTurn(options);
  const answer = offlineAnswer(turn);
  yield { type: "stream-start", warnings: [] };
  if (answer.kind === "call") {
    const toolCallId = `offline_${turn.results.length + 1}_${options.prompt.length}`;
    const input = JSON.stringify(answer.input);
    yield { type: "tool-call", toolCallId, toolName: answer.toolName, input };
    yield finish("tool-calls", options, input);
    return;
  }
  yield { type: "text-start", id: "0" };
  for (const delta of answer.text.match(/\S+\s*/g) ?? []) {
    yield { type: "text-delta", id: "0", delta };
  }
  yield { type: "text-end", id: "0" };
  yield finish("stop", options, answer.text);
}

/** About four characters to a token. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

function finish(
  unified: "stop" | "tool-calls",
  { prompt }: CallOptions,
  output: string,
): Extract<StreamPart, { type: "finish" }> {
  const input = tokens(JSON.stringify(prompt));
  return {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: tokens(output), text: tokens(output), reasoning: 0 },
    },
  };
}

function readTurn({ prompt, tools = [] }: CallOptions): OfflineTurn {
  const last = prompt.findLastIndex((message) => message.role === "user");
  const user = prompt[last];
  const message =
    user?.role === "user"
      ? user.content.map((part) => (part.type === "text" ? part.text : "")).join(" ")
      : "";
  const results = prompt.slice(last + 1).flatMap((entry) => {
    if (entry.role !== "tool") return [];
    return entry.content.flatMap((part) => (part.type === "tool-result" ? [toResult(part)] : []));
  });
  return {
    message,
    results,
    tools: tools.flatMap((tool) =>
      tool.type === "function"
        ? [{ name: tool.name, description: tool.description ?? "", inputSchema: tool.inputSchema }]
        : [],
    ),
  };
}

interface ToolResult {
  toolName: string;
  output: { type: string; value?: unknown };
}

function toResult({ toolName, output }: ToolResult): OfflineTurn["results"][number] {
  const { value } = output;
  return {
    toolName,
    output: typeof value === "string" ? value : JSON.stringify(value ?? null),
    isError: output.type.startsWith("error"),
  };
}
