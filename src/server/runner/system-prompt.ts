import type { OfferedTools } from "./thread";

/** Instructions and what the tools have to say beside their descriptions. */
export const systemPrompt = (instructions: string, { byName }: OfferedTools): string =>
  [instructions, ...[...byName.values()].map(({ prompt = "" }) => prompt)]
    .filter((part) => part !== "")
    .join("\n\n");
