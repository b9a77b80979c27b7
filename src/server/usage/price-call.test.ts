import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PRICE_VERSION, priceCall } from "./price-call";

const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 400, cacheWriteTokens: 0 };

test("input tokens read from a cache cost their own price, once", () => {
  const whole = priceCall("openai", "gpt-4o", { ...usage, cacheReadTokens: 0 });
  expect(whole).toBeCloseTo(1_000 * 2.5e-6 + 100 * 10e-6, 9);
  const cached = priceCall("openai", "gpt-4o", usage);
  expect(cached).toBeCloseTo(600 * 2.5e-6 + 400 * 1.25e-6 + 100 * 10e-6, 9);
});

test("every provider kind has prices, an org's own provider has none", () => {
  for (const [provider, model] of [
    ["xai", "grok-4"],
    ["anthropic", "claude-sonnet-4-5"],
    ["google", "gemini-2.5-pro"],
  ] as const) {
    expect(priceCall(provider, model, usage)).toBeGreaterThan(0);
  }
  expect(priceCall("stub", "gpt-4o", usage)).toBeUndefined();
});

test("the version beside a price is that of the installed table", () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(PRICE_VERSION).toBe(`genai-prices@${dependencies["@pydantic/genai-prices"]}`);
});
