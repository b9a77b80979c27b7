import type { ModelMessage } from "ai";
import { firstBytes } from "../platform/first-bytes";

const PART_BYTES = 4 * 1024;

/** A conversation in words, for a model to sum up: long parts are cut, reasoning is left out. */
export const conversationText = (messages: readonly ModelMessage[]): string =>
  messages.flatMap(linesOf).join("\n");

function linesOf({ role, content }: ModelMessage): string[] {
  const say = (text: string) => (text.trim() === "" ? [] : [`${role}: ${cut(text)}`]);
  if (typeof content === "string") return say(content);
  return content.flatMap((part) => {
    switch (part.type) {
      case "text":
        return say(part.text);
      case "tool-call":
        return [`calls ${part.toolName}: ${cut(JSON.stringify(part.input))}`];
      case "tool-result":
        return [`${part.toolName} answers: ${cut(JSON.stringify(part.output))}`];
      case "image":
      case "file":
        return say("[a file]");
      default:
        return [];
    }
  });
}

const cut = (text: string): string => {
  const first = firstBytes(text, PART_BYTES);
  return first.length < text.length ? `${first} […]` : text;
};
