/**
 * Which model an id names and how to reach it: the providers' registry, parameters, and the
 * built-in offline model. An org's providers are rows whose keys are sealed.
 * Never runs a conversation: that is `runner`.
 */
export { deleteModelProvider } from "./delete-model-provider";
export { listModelProviders } from "./list-model-providers";
export { ModelNotConfigured } from "./model-not-configured";
export { OFFLINE_MODEL } from "./offline-model";
export { PROVIDER_KINDS, type ProviderCredential, type ProviderKind } from "./provider-credential";
export { type ModelSource, type ResolvedModel, resolveModel } from "./resolve-model";
export { revealModelProviders } from "./reveal-model-providers";
export { NewModelProvider, setModelProvider } from "./set-model-provider";
