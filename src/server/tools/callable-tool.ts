import type { Manifest, ToolManifest } from "../../protocol/manifest";
import { AppError } from "../platform/errors";

/**
 * The server tool of a name.
 * @throws AppError `unknown_tool` with the names there are, `tool_not_callable` for agent tools.
 */
export function callableTool({ tools }: Manifest, name: string): ToolManifest {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) {
    const names = tools.filter(({ execution }) => execution === "server").map((each) => each.name);
    const known = names.length > 0 ? `It has: ${names.join(", ")}.` : "It has no server tools.";
    throw new AppError("unknown_tool", `The agent has no tool of that name. ${known}`, {
      details: { tools: names },
    });
  }
  if (tool.execution === "agent") {
    throw new AppError(
      "tool_not_callable",
      `${name} runs where the agent runs, so only a turn can call it.`,
    );
  }
  return tool;
}
