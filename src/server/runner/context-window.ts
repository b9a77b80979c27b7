/** Tokens that a model takes at once, by its id; the first that matches counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^gemini-/, 1_000_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-5/, 400_000],
  [/^grok-/, 256_000],
  [/^claude-|^o\d/, 200_000],
];

/** Held to be the least that a model in use takes. */
const DEFAULT = 128_000;

/** How many tokens a model takes at once; models that are not known are held to be small. */
export const contextWindow = (modelId: string): number =>
  WINDOWS.find(([ids]) => ids.test(modelId))?.[1] ?? DEFAULT;
