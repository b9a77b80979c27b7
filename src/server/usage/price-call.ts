import { calcPrice } from "@pydantic/genai-prices";
import type { Usage } from "../../protocol/event";

/** The price table, by the package that brings it; a test holds it to package.json. */
export const PRICE_VERSION = "genai-prices@0.1.8";

/**
 * What a model call cost in US dollars.
 * @returns undefined where the table does not know the model.
 */
export function priceCall(provider: string, modelId: string, usage: Usage): number | undefined {
  const tokens = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
  const known = PRICED.get(provider);
  if (!known) return undefined;
  return calcPrice(tokens, modelId, { providerId: known })?.total_price;
}

/** Our provider kinds in the table's words. A provider of the org's own has prices of its own. */
const PRICED: ReadonlyMap<string, string> = new Map([
  ["xai", "x-ai"],
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["google", "google"],
]);
