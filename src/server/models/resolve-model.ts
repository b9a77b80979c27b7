import type { ModelSetting } from "../../protocol/manifest";
import { createLanguageModel, type ModelHandle } from "./create-language-model";
import { FAMILIES } from "./known-families";
import { ModelNotConfigured } from "./model-not-configured";
import { createOfflineModel, OFFLINE_MODEL } from "./offline-model";
import type { ProviderCredential } from "./provider-credential";
import { type ModelOptions, toModelOptions } from "./provider-options";

/** Where keys come from: the org's providers and the agent's own secrets. */
export interface ModelSource {
  /** Slug of the agent, for the command that mends a missing key. */
  agent: string;
  providers: readonly ProviderCredential[];
  agentEnv: Readonly<Record<string, string>>;
  /** Whether the offline model may stand in where a key is missing. */
  offlineModel: boolean;
  /** Fetch that refuses private addresses. */
  fetch: typeof globalThis.fetch;
}

export interface ResolvedModel extends ModelOptions {
  /** The name people see: the id, or `berth/offline`. */
  label: string;
  /** Provider and model as the step row and the ledger keep them. */
  provider: string;
  modelId: string;
  model: ModelHandle;
}

/**
 * The model that an agent's setting names, ready to be called.
 * @throws ModelNotConfigured with the command that sets the missing key.
 */
export function resolveModel(setting: ModelSetting, source: ModelSource): ResolvedModel {
  if (setting.id === OFFLINE_MODEL) return offline();
  try {
    const { credential, modelId } = credentialFor(setting.id, source);
    return {
      label: setting.id,
      provider: credential.kind === "openai-compatible" ? credential.name : credential.kind,
      modelId,
      model: createLanguageModel(credential, modelId, source.fetch),
      ...toModelOptions(credential.kind, optionsKey(credential), setting.params),
    };
  } catch (error) {
    if (error instanceof ModelNotConfigured && source.offlineModel) return offline();
    throw error;
  }
}

const offline = (): ResolvedModel => ({
  label: OFFLINE_MODEL,
  provider: "berth",
  modelId: "offline",
  model: createOfflineModel(),
  settings: {},
  providerOptions: {},
  warnings: [],
});

const optionsKey = ({ kind, name }: ProviderCredential): string =>
  kind === "openai-compatible" ? name : kind;

interface Found {
  credential: ProviderCredential;
  modelId: string;
}

function credentialFor(id: string, source: ModelSource): Found {
  const slash = id.indexOf("/");
  if (slash > 0) return namedProvider(id.slice(0, slash), id.slice(slash + 1), source);
  const family = FAMILIES.find(({ ids }) => ids.test(id));
  if (!family) {
    throw new ModelNotConfigured(
      `${id} names no provider. Write <provider>/<model> and set the provider: berth models set <provider> --kind openai-compatible --base-url URL`,
    );
  }
  const { kind } = family;
  const keyName = family.keyNames.find((name) => source.agentEnv[name]);
  if (keyName) {
    return { credential: { name: kind, kind, apiKey: source.agentEnv[keyName] }, modelId: id };
  }
  const credential =
    source.providers.find((provider) => provider.kind === kind && provider.name === kind) ??
    source.providers.find((provider) => provider.kind === kind);
  if (credential) return { credential, modelId: id };
  throw new ModelNotConfigured(
    `There is no key for the model ${id}. Run: berth models set ${kind} --kind ${kind} (or: berth secrets set ${source.agent} ${family.keyNames[0]})`,
  );
}

function namedProvider(name: string, modelId: string, source: ModelSource): Found {
  const credential = source.providers.find((provider) => provider.name === name);
  if (credential) return { credential, modelId };
  throw new ModelNotConfigured(
    `There is no model provider ${name}. Run: berth models set ${name} --kind openai-compatible --base-url URL`,
  );
}
