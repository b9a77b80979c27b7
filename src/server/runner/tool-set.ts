import { jsonSchema, type ToolSet } from "ai";
import { providerToolName } from "./provider-tool-name";
import type { OfferedTool, OfferedTools } from "./thread";

/** Tools by both of their names; of two with one name the first counts. */
export function toolSet(tools: readonly OfferedTool[]): OfferedTools {
  const byName = new Map<string, OfferedTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  const byProviderName = new Map<string, OfferedTool>();
  const set: ToolSet = {};
  for (const tool of byName.values()) {
    const name = providerToolName(tool.name);
    byProviderName.set(name, tool);
    set[name] = { description: tool.description, inputSchema: jsonSchema(tool.inputSchema) };
  }
  return { set, byProviderName, byName };
}
