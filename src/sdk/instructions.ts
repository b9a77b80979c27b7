import type { Awaitable } from "./json";
import type { SessionInfo } from "./tool-context";

export interface InstructionsDefinition {
  markdown: string;
}

/** Instructions computed at the start of each turn. */
export type DynamicInstructions = (context: { session: SessionInfo }) => Awaitable<string>;

/** Declares the system prompt of `instructions.ts` when it is not a plain string. */
export const defineInstructions = (definition: InstructionsDefinition): InstructionsDefinition =>
  definition;
