import { z } from "zod";
import { withSqlTransaction } from "../platform/transaction";
import { unsealForOrg } from "../secrets";
import { PROVIDER_KINDS, type ProviderCredential } from "./provider-credential";
import { providerPlace } from "./provider-place";

interface ProviderRow {
  name: string;
  kind: string;
  base_url: string | null;
  sealed: Uint8Array | null;
  data_key_id: number | null;
}

const Kind = z.enum(PROVIDER_KINDS);

/** The org's providers with their keys in the clear, for calling models and nothing else. */
export const revealModelProviders = (orgId: string): Promise<ProviderCredential[]> =>
  withSqlTransaction(orgId, async (tx) => {
    const rows = await tx.sql<ProviderRow>(
      `SELECT name, kind, base_url, sealed, data_key_id FROM model_provider
       WHERE org_id = $1 ORDER BY name`,
      [orgId],
    );
    const credentials: ProviderCredential[] = [];
    for (const { name, kind, base_url, sealed, data_key_id: dataKeyId } of rows) {
      const key =
        sealed && dataKeyId !== null
          ? await unsealForOrg(tx, providerPlace(name), { sealed, dataKeyId })
          : undefined;
      credentials.push({
        name,
        kind: Kind.parse(kind),
        baseUrl: base_url ?? undefined,
        apiKey: key,
      });
    }
    return credentials;
  });
