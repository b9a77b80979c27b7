/**
 * Which model an id names and how to reach it: the providers' registry, parameters, and the
 * built-in offline model. Takes keys in the clear from whoever may read them and keeps none.
 * Never runs a conversation: that is `runner`.
 */
export { createLanguageModel, type ModelHandle } from "./create-language-model";
export { ModelNotConfigured } from "./model-not-configured";
export { OFFLINE_MODEL } from "./offline-model";
export { PROVIDER_KINDS, type ProviderCredential, type ProviderKind } from "./provider-credential";
export type { ModelOptions } from "./provider-options";
export { type ModelSource, type ResolvedModel, resolveModel } from "./resolve-model";
