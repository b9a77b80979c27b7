import type { JSONValue } from "ai";
import type { ProviderKind } from "./provider-credential";

export interface ModelOptions {
  /** Settings every provider knows. */
  settings: { temperature?: number; topP?: number; maxOutputTokens?: number; seed?: number };
  /** Options of the one provider, by its name. */
  providerOptions: Record<string, Record<string, JSONValue>>;
  warnings: string[];
}

const SETTINGS: Readonly<Record<string, keyof ModelOptions["settings"]>> = {
  temperature: "temperature",
  top_p: "topP",
  topP: "topP",
  max_tokens: "maxOutputTokens",
  max_output_tokens: "maxOutputTokens",
  maxOutputTokens: "maxOutputTokens",
  seed: "seed",
};
const EFFORT: ReadonlySet<string> = new Set(["effort", "reasoning_effort", "reasoningEffort"]);

const effortOption = (kind: ProviderKind, value: JSONValue): Record<string, JSONValue> => {
  if (kind === "anthropic") return { effort: value };
  if (kind === "google") return { thinkingConfig: { thinkingLevel: value } };
  return { reasoningEffort: value };
};

const fastOption = (kind: ProviderKind): Record<string, JSONValue> | undefined => {
  if (kind === "openai") return { serviceTier: "priority" };
  return kind === "anthropic" ? { speed: "fast" } : undefined;
};

/** The provider's option for a parameter that we know by another name. */
function translate(
  kind: ProviderKind,
  name: string,
  value: JSONValue,
): Record<string, JSONValue> | undefined {
  if (EFFORT.has(name)) return effortOption(kind, value);
  if (name !== "fast") return undefined;
  const fast = fastOption(kind);
  return fast && (value === true ? fast : {});
}

/**
 * Maps the parameters of `agent.ts` to what the SDK takes. Unknown ones reach the provider as they
 * are, with a warning.
 * @param key the name under which the provider reads its options.
 */
export function toModelOptions(
  kind: ProviderKind,
  key: string,
  params: Readonly<Record<string, unknown>>,
): ModelOptions {
  const settings: ModelOptions["settings"] = {};
  const options: Record<string, JSONValue> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(params as Record<string, JSONValue>)) {
    const setting = SETTINGS[name];
    if (setting && typeof value === "number") {
      settings[setting] = value;
      continue;
    }
    const known = translate(kind, name, value);
    if (!known)
      warnings.push(`The model parameter ${name} is not known; it is passed on as it is.`);
    Object.assign(options, known ?? { [name]: value });
  }
  return { settings, providerOptions: { [key]: options }, warnings };
}
