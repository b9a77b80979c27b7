import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createXai } from "@ai-sdk/xai";
import type { LanguageModel } from "ai";
import { AppError } from "../platform/errors";
import type { ProviderCredential } from "./provider-credential";

/** A model of the SDK, not the id of one. */
export type ModelHandle = Exclude<LanguageModel, string>;

/** The model of a provider; every request goes through the given, guarded fetch. */
export function createLanguageModel(
  { name, kind, baseUrl, apiKey = "" }: ProviderCredential,
  modelId: string,
  fetch: typeof globalThis.fetch,
): ModelHandle {
  const settings = { apiKey, fetch, ...(baseUrl ? { baseURL: baseUrl } : {}) };
  switch (kind) {
    case "openai":
      return createOpenAI(settings)(modelId);
    case "anthropic":
      return createAnthropic(settings)(modelId);
    case "google":
      return createGoogle(settings)(modelId);
    case "xai":
      return createXai(settings)(modelId);
    case "openai-compatible": {
      if (!baseUrl) throw new AppError("invalid_request", `The provider ${name} has no base URL.`);
      return createOpenAICompatible({
        name,
        baseURL: baseUrl,
        fetch,
        includeUsage: true,
        ...(apiKey ? { apiKey } : {}),
      })(modelId);
    }
  }
}
