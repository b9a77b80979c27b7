import type { Manifest, ToolManifest } from "../../protocol/manifest";

const TIMEOUT_MS = 60_000;

/**
 * The tool by which a model tags artifacts, for agents whose `artifacts.ts` has `agentTool`. It is
 * run like an authored tool: the agent's process knows it by its name and checks the kind's schema.
 */
export function tagArtifactTool({ artifacts }: Manifest): ToolManifest | undefined {
  if (!artifacts?.agentTool) return undefined;
  const { kinds, descriptions = {}, file } = artifacts;
  const known = kinds.map((kind) =>
    Object.hasOwn(descriptions, kind) ? `${kind}: ${descriptions[kind]}` : kind,
  );
  return {
    name: "tag_artifact",
    file,
    description: [
      "Keeps a result for people as an artifact. The same kind and key again make a new version.",
      `Kinds: ${known.join("; ")}`,
    ].join("\n"),
    execution: "server",
    inputSchema: {
      type: "object",
      properties: {
        kind: { type: "string", enum: kinds },
        key: { type: "string", description: "Names the artifact within its kind." },
        title: { type: "string" },
        data: { description: "JSON about it." },
        contents: { type: "string", description: "Its text." },
        contentType: { type: "string", description: "Media type of the contents." },
      },
      required: ["kind", "key"],
      additionalProperties: false,
    },
    effect: "write",
    needsApproval: "never",
    timeArgs: [],
    timeoutMs: TIMEOUT_MS,
  };
}
