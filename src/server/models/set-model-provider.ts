import { z } from "zod";
import { now } from "../platform/platform";
import { mutation } from "../platform/verb";
import { sealForOrg } from "../secrets";
import { PROVIDER_KINDS } from "./provider-credential";
import { providerPlace } from "./provider-place";

const ProviderName = z
  .string()
  .max(64)
  .regex(
    /^[a-z0-9][a-z0-9._-]*$/,
    "small letters, digits, . _ and -; starts with a letter or digit",
  )
  .refine((name) => name !== "berth", "is the platform's own");

const BaseUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2000)
  .refine((text) => !new URL(text).username && !new URL(text).password, "must hold no credentials");

const Settings = z.object({
  kind: z.enum(PROVIDER_KINDS),
  baseUrl: BaseUrl.optional(),
  apiKey: z.string().min(1).max(4096).optional(),
});

/** What a provider is set to. The whole: a key that is not sent again is forgotten. */
export const NewModelProvider = Settings.refine(
  ({ kind, baseUrl }) => kind !== "openai-compatible" || baseUrl !== undefined,
  { path: ["baseUrl"], message: "an openai-compatible provider needs its address" },
).refine(({ kind, apiKey }) => kind === "openai-compatible" || apiKey !== undefined, {
  path: ["apiKey"],
  message: "this provider needs a key",
});

/** Sets a model provider of the org and its key. The key cannot be read back. */
export const setModelProvider = mutation({
  permission: "models:manage",
  scope: "org",
  input: z.intersection(NewModelProvider, z.object({ name: ProviderName })),
  action: "model-provider.set",
  async run({ ctx, input, tx }) {
    const { name, kind, baseUrl = null, apiKey } = input;
    const key = apiKey === undefined ? null : await sealForOrg(tx, providerPlace(name), apiKey);
    await tx.sql(
      `INSERT INTO model_provider
         (org_id, name, kind, base_url, sealed, data_key_id, fingerprint, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6::int, $7, $8, $8)
       ON CONFLICT (org_id, name) DO UPDATE SET kind = excluded.kind, base_url = excluded.base_url,
         sealed = excluded.sealed, data_key_id = excluded.data_key_id,
         fingerprint = excluded.fingerprint, updated_at = excluded.updated_at`,
      [
        ctx.orgId,
        name,
        kind,
        baseUrl,
        key?.sealed ?? null,
        key?.dataKeyId ?? null,
        key?.fingerprint ?? null,
        now(),
      ],
    );
    return { name, kind, baseUrl, fingerprint: key?.fingerprint ?? null };
  },
  audit: (provider) => ({ entityId: provider.name, after: provider }),
});
