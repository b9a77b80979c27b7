import type { ZodType } from "zod";
import type { JsonSchemaObject } from "./json";

export interface ArtifactKind {
  description?: string | undefined;
  schema?: ZodType | JsonSchemaObject | undefined;
  /** How long versions are kept, such as `30d`. */
  retention?: string | undefined;
}

export interface ArtifactsDefinition {
  kinds: Record<string, ArtifactKind>;
  /** Gives the model the tool `tag_artifact`. */
  agentTool?: boolean | undefined;
  max?: number | undefined;
}

/** Declares the kinds of artifact an agent produces. */
export const defineArtifacts = (definition: ArtifactsDefinition): ArtifactsDefinition => definition;
