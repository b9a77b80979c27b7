export const PROVIDER_KINDS = [
  "openai-compatible",
  "openai",
  "anthropic",
  "google",
  "xai",
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** A provider of an org with its key in the clear: never stored, logged or sent anywhere else. */
export interface ProviderCredential {
  name: string;
  kind: ProviderKind;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
}
