import type { LiveHost } from "./host";
import type { SessionInfo } from "./tool-context";

export interface ResultContext {
  session: SessionInfo;
  host: LiveHost;
  /** Sends the text back to the model with what is wrong with it. */
  reject(message: string): never;
}

export interface ResultDefinition {
  /** Sees the final text of a turn; throwing rejects it. */
  commit(text: string, context: ResultContext): unknown;
}

/** Declares the check that a turn's final text has to pass. */
export const defineResult = (definition: ResultDefinition): ResultDefinition => definition;
