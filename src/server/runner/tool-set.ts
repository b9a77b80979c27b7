import { type JSONSchema7, jsonSchema, type ToolSet } from "ai";
import type { Manifest, ToolManifest } from "../../protocol/manifest";
import { providerToolName } from "./provider-tool-name";

export interface OfferedTools {
  /** Definitions for the model, without executors. */
  set: ToolSet;
  /** The tool by the name the model uses. */
  byProviderName: ReadonlyMap<string, ToolManifest>;
}

const ANYTHING: JSONSchema7 = { type: "object", additionalProperties: true };

/** Providers want an object at the root; what a tool really accepts is checked when it runs. */
const parametersOf = (tool: ToolManifest): JSONSchema7 => {
  const schema = (tool.inputSchema ?? ANYTHING) as JSONSchema7;
  return schema.type === "object" ? schema : { ...ANYTHING, ...withoutType(schema) };
};

const withoutType = ({ type: _type, ...rest }: JSONSchema7): JSONSchema7 => rest;

/** The tools of a version as the model sees them. */
export function offerTools(manifest: Manifest): OfferedTools {
  const byProviderName = new Map<string, ToolManifest>();
  const set: ToolSet = {};
  for (const tool of manifest.tools) {
    if (tool.execution !== "server") continue;
    const name = providerToolName(tool.name);
    byProviderName.set(name, tool);
    set[name] = { description: tool.description, inputSchema: jsonSchema(parametersOf(tool)) };
  }
  return { set, byProviderName };
}
