/** What the scripted model does in one call. The n-th entry answers the n-th call after a message. */
export interface ScriptedStep {
  reasoning?: string;
  text?: string;
  /** Milliseconds before each piece of the answer. */
  delayMs?: number;
  calls?: { name: string; input: unknown; id?: string }[];
  usage?: { input?: number; output?: number; cached?: number };
  finishReason?: string;
  /** Answer with this status instead, for the first `times` tries (default: always). */
  status?: number;
  retryAfterS?: number;
  times?: number;
  /** Never answer, or stop in the middle of the answer. */
  hang?: "start" | "middle";
  /** Cut the connection in the middle of the answer. */
  truncate?: boolean;
  /** Answer with what is no stream of completions. */
  garbage?: boolean;
}

/** The last user message, when it is `{"script": [...]}`. */
export interface Script {
  script: ScriptedStep[];
  /** Makes the n-th request with this name get the n-th entry, whatever the conversation holds. */
  sequence?: string;
}

/** Text of a message that makes the model follow a script. */
export const scriptText = (...script: ScriptedStep[]): string => JSON.stringify({ script });

/** The same, for conversations whose answers do not stay in them. */
export const sequenceText = (sequence: string, ...script: ScriptedStep[]): string =>
  JSON.stringify({ script, sequence });

interface ChatMessage {
  role: string;
  content?: unknown;
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
};

const scriptOf = (text: string): Partial<Script> | undefined => {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Partial<Script>;
  } catch {
    return undefined;
  }
};

/** `tokens-<n>-<ms>`: n tokens, ms apart. Any other model repeats what it was told. */
function plainStep(model: string, text: string): ScriptedStep {
  if (text.startsWith("<conversation>")) return { text: "summed up" };
  const tokens = /^tokens-(\d+)-(\d+)$/.exec(model);
  if (!tokens) return { text: `You said: ${text}` };
  return {
    text: Array.from({ length: Number(tokens[1]) }, (_, i) => `token${i} `).join(""),
    delayMs: Number(tokens[2]),
  };
}

/** Models that are never well, whatever they are told. */
const BROKEN: Record<string, ScriptedStep> = {
  down: { status: 503 },
  limited: { status: 429, retryAfterS: 0 },
  refusing: { status: 401 },
  breaking: { text: "half of an answer", delayMs: 20, truncate: true },
};

/** What to do with a request, by model, last user text and how many answers followed it. */
export function stepFor(
  model: string,
  messages: ChatMessage[],
  served: Map<string, number> = new Map(),
): { key: string; step: ScriptedStep } {
  const broken = BROKEN[model];
  if (broken) return { key: model, step: broken };
  const last = messages.findLastIndex((message) => message.role === "user");
  const text = textOf(messages[last]?.content);
  const { script, sequence } = scriptOf(text) ?? {};
  const place =
    sequence === undefined
      ? messages.slice(last + 1).filter((message) => message.role === "assistant").length
      : (served.get(sequence) ?? 0);
  if (sequence !== undefined) served.set(sequence, place + 1);
  const step = script ? (script[Math.min(place, script.length - 1)] ?? {}) : plainStep(model, text);
  return { key: `${model} ${place} ${text}`, step };
}
