import { deserialize } from "node:v8";
import { platform } from "../platform/platform";
import { HeldKey, type KeptAnswer, LEASE_S, type Results } from "./held-key";
import { type KeyScope, scopeValues } from "./key-scope";

/** What is known of a key that somebody used before. */
export interface KnownKey {
  /** Hash of the first request; empty while one runs whose body is still arriving. */
  bodyHash: string;
  /** Absent while the first request runs. */
  answer: KeptAnswer | undefined;
}

interface Row {
  claimed: boolean;
  stamp: string | null;
  body_hash: string;
  status: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
  created_id: string | null;
  results: Buffer | null;
}

/** Takes a key for the request that asks, or says what is known of it: one statement. */
export async function claimKey(scope: KeyScope, bodyHash: string): Promise<HeldKey | KnownKey> {
  const { rows } = await platform().pool.query<Row>({
    name: "claim_key",
    text: "SELECT * FROM berth_claim_key($1, $2, $3, $4, $5, $6, make_interval(secs => $7))",
    values: [...scopeValues(scope), bodyHash, LEASE_S],
  });
  const [row] = rows;
  if (!row) throw new Error("a key was neither claimed nor known");
  if (row.stamp !== null) return new HeldKey(scope, row.stamp, leftBy(row));
  const { status, headers, body, created_id: createdId } = row;
  const answer = status === null ? undefined : { status, headers: headers ?? {}, body, createdId };
  return { bodyHash: row.body_hash, answer };
}

/** What an earlier request with the key had led to when its process died. */
const leftBy = ({ results, body_hash: bodyHash }: Row): Results | undefined =>
  results === null ? undefined : { bodyHash, of: deserialize(results) as Results["of"] };
