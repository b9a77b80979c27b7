import { HARNESS_TOOLS } from "../../protocol/harness-tool";
import { inputFor } from "./offline-input";

export interface OfflineTool {
  name: string;
  description: string;
  inputSchema: object;
}

/** What the offline model sees of a conversation. */
export interface OfflineTurn {
  message: string;
  tools: OfflineTool[];
  /** Results of the tools called for this message, oldest first. */
  results: { toolName: string; output: string; isError: boolean }[];
}

export type OfflineAnswer =
  | { kind: "text"; text: string }
  | { kind: "call"; toolName: string; input: Record<string, unknown> };

const STOP_WORDS = new Set(
  "a an and are as at be by can do for from get give have how i in is it me my of on or show tell that the this to use using what when where which who will with you your".split(
    " ",
  ),
);

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1 && !STOP_WORDS.has(word)),
  );

/** Words of the tool's name count twice; ties go to the first tool. */
function score(tool: OfflineTool, message: Set<string>): number {
  const shared = (text: string) => [...wordsOf(text)].filter((word) => message.has(word)).length;
  return 2 * shared(tool.name) + shared(tool.description);
}

const HARNESS: ReadonlySet<string> = new Set(HARNESS_TOOLS);
const isOwn = ({ name }: OfflineTool): boolean => !HARNESS.has(name);

/** The agent's own tools go first; one of the harness is taken only when it is called by name. */
function pickTool({ tools, message }: OfflineTurn): OfflineTool | undefined {
  const words = wordsOf(message);
  const named = tools.find((tool) => !isOwn(tool) && words.has(tool.name));
  return bestOf(tools.filter(isOwn), words) ?? named;
}

function bestOf(tools: readonly OfflineTool[], words: Set<string>): OfflineTool | undefined {
  let best: OfflineTool | undefined;
  let most = 0;
  for (const tool of tools) {
    const points = score(tool, words);
    if (points > most) [best, most] = [tool, points];
  }
  return best;
}

function withoutTool({ tools }: OfflineTurn): string {
  const own = tools.some(isOwn) ? tools.filter(isOwn) : tools;
  const names = own.map((tool) => tool.name).join(", ");
  const can = names ? `Ask for something that one of my tools does: ${names}.` : "I have no tools.";
  return `I am the offline demo model and only match words to tools. ${can}`;
}

/** The offline model's whole mind: the same conversation always gets the same answer. */
export function offlineAnswer(turn: OfflineTurn): OfflineAnswer {
  const last = turn.results.at(-1);
  if (last) {
    const verb = last.isError ? "failed" : "answered";
    return { kind: "text", text: `${last.toolName} ${verb}: ${last.output}` };
  }
  const tool = pickTool(turn);
  if (!tool) return { kind: "text", text: withoutTool(turn) };
  return { kind: "call", toolName: tool.name, input: inputFor(tool.inputSchema, turn.message) };
}
