import { hmacSha256, seal, unseal } from "../platform/crypto";
import { currentDataKey, dataKey, type OrgSql } from "./data-key";

/** Where a sealed value belongs. It opens nowhere else. */
export interface SealedPlace {
  /** Agent id, `*` for the org's secrets, or another module's own word. */
  scope: string;
  name: string;
  version: number;
}

export interface SealedValue {
  sealed: Buffer;
  dataKeyId: number;
  /** Six hex digits to recognise the value by, worthless without the org's key. */
  fingerprint: string;
}

const additionalData = (orgId: string, { scope, name, version }: SealedPlace): string =>
  JSON.stringify([orgId, scope, name, version]);

/** Seals a value for one place of the transaction's org. */
export async function sealForOrg(
  tx: OrgSql,
  place: SealedPlace,
  value: string,
): Promise<SealedValue> {
  const { id, key } = await currentDataKey(tx);
  return {
    sealed: seal(key, Buffer.from(value, "utf8"), additionalData(tx.orgId, place)),
    dataKeyId: id,
    fingerprint: hmacSha256(key, `fingerprint:${value}`).toString("hex").slice(0, 6),
  };
}

/** Opens what `sealForOrg` made. @throws Error for another org, place or key */
export async function unsealForOrg(
  tx: OrgSql,
  place: SealedPlace,
  { sealed, dataKeyId }: { sealed: Uint8Array; dataKeyId: number },
): Promise<string> {
  const key = await dataKey(tx, dataKeyId);
  return unseal(key, sealed, additionalData(tx.orgId, place)).toString("utf8");
}
