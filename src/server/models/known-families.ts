import type { ProviderKind } from "./provider-credential";

interface Family {
  kind: ProviderKind;
  ids: RegExp;
  /** Usual names of the key, as an agent's secret. */
  keyNames: readonly string[];
}

/** Model ids that name their provider by themselves (SPEC 6). */
export const FAMILIES: readonly Family[] = [
  { kind: "xai", ids: /^grok-/, keyNames: ["XAI_API_KEY"] },
  { kind: "openai", ids: /^(gpt-|chatgpt-|o\d)/, keyNames: ["OPENAI_API_KEY"] },
  { kind: "anthropic", ids: /^claude-/, keyNames: ["ANTHROPIC_API_KEY"] },
  {
    kind: "google",
    ids: /^gemini-/,
    keyNames: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
];
