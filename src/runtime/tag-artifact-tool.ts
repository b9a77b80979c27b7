import type { ArtifactTag } from "./artifacts";
import type { ToolContext } from "./tool-context";

const text = { type: "string" };

/** The tool of the platform's own by which a model tags artifacts; its name cannot be authored. */
export const TAG_ARTIFACT = "tag_artifact";

export const tagArtifactTool = {
  effect: "write",
  inputSchema: {
    type: "object",
    properties: { kind: text, key: text, title: text, data: {}, contents: text, contentType: text },
    required: ["kind", "key"],
    additionalProperties: false,
  },
  execute: (input: unknown, ctx: ToolContext) => ctx.artifacts.tag(input as ArtifactTag),
};
