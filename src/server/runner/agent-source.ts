import type { Manifest } from "../../protocol/manifest";
import { loadVersion } from "../agents";
import { type ProviderCredential, revealModelProviders } from "../models";
import { AppError } from "../platform/errors";
import { withSqlTransaction } from "../platform/transaction";
import { createRedactor, type Redactor, runtimeEnv, runtimeRevision } from "../secrets";
import { OrgSettings } from "../tenancy";
import type { AgentRef, PreparedAgent } from "./ports";

/** How old a copy of an org's providers may be. */
const FRESH_MS = 2_000;
const CACHED = 500;

interface OrgModels {
  providers: ProviderCredential[];
  offlineModel: boolean;
}

interface Secrets {
  revision: string;
  env: Record<string, string>;
}

/**
 * What turns need to know about versions, read at most once per change of secrets: manifests,
 * keys of models, and the redactor of both.
 */
export class AgentSource {
  readonly #secrets = new Map<string, Secrets>();
  readonly #models = new Map<string, { at: number; read: Promise<OrgModels> }>();

  /** @param fetch reaches models, and refuses private addresses */
  constructor(private readonly fetch: typeof globalThis.fetch) {}

  /** @returns undefined when the version does not exist or was never built. */
  readonly prepare = async (ref: AgentRef): Promise<PreparedAgent | undefined> => {
    const manifest = await manifestOf(ref);
    if (!manifest) return undefined;
    const [env, org] = await Promise.all([this.#env(ref, manifest), this.#orgModels(ref.orgId)]);
    return {
      manifest,
      redactor: redactorOf(env, org.providers),
      models: { agent: manifest.name, agentEnv: env, fetch: this.fetch, ...org },
    };
  };

  async #env(ref: AgentRef, { secretNames }: Manifest): Promise<Record<string, string>> {
    const input = { orgId: ref.orgId, agentId: ref.agentId, secretNames };
    const key = JSON.stringify([ref.orgId, ref.agentId, secretNames]);
    const known = this.#secrets.get(key);
    if (known && known.revision === (await runtimeRevision(input))) return known.env;
    const read = await runtimeEnv(input);
    keep(this.#secrets, key, read);
    return read.env;
  }

  #orgModels(orgId: string): Promise<OrgModels> {
    const known = this.#models.get(orgId);
    if (known && performance.now() - known.at < FRESH_MS) return known.read;
    const read = readOrgModels(orgId);
    keep(this.#models, orgId, { at: performance.now(), read });
    read.catch(() => this.#models.delete(orgId));
    return read;
  }
}

function keep<V>(cache: Map<string, V>, key: string, value: V): void {
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > CACHED && oldest !== undefined) cache.delete(oldest);
}

async function manifestOf(ref: AgentRef): Promise<Manifest | undefined> {
  try {
    return (await loadVersion(ref)).manifest;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function readOrgModels(orgId: string): Promise<OrgModels> {
  const [providers, [org]] = await Promise.all([
    revealModelProviders(orgId),
    withSqlTransaction(orgId, ({ sql }) =>
      sql<{ settings: unknown }>("SELECT settings FROM org WHERE id = $1", [orgId]),
    ),
  ]);
  const { offlineModel } = OrgSettings.parse(org?.settings ?? {});
  return { providers, offlineModel };
}

/** Providers repeat keys in their errors, so the keys are redacted as well. */
function redactorOf(
  env: Readonly<Record<string, string>>,
  providers: readonly ProviderCredential[],
): Redactor {
  const keys = providers.flatMap(({ name, apiKey }) => (apiKey ? [[`model:${name}`, apiKey]] : []));
  return createRedactor({ ...Object.fromEntries(keys), ...env });
}
