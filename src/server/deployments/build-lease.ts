import type { BuildLogEntry } from "../../protocol/build-log";
import { encodeJson } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { type SqlTx, withSqlTransaction } from "../platform/transaction";

/** A build that this process holds. `attempt` fences what it writes. */
export interface BuildLease {
  orgId: string;
  agentId: string;
  version: number;
  attempt: number;
}

/** With the sweep of 2 s, a killed worker's build goes on elsewhere within 15 s. */
export const LEASE_SECONDS = 12;
/** A build that ended three workers is not given to a fourth. */
export const MAX_ATTEMPTS = 3;

/** Another worker took the build over; whoever sees this stops. */
export class LeaseLost extends Error {
  constructor() {
    super("another worker builds this version now");
  }
}

interface LeaseRow {
  org_id: string;
  agent_id: string;
  version: number;
  attempt: number;
}

/** Takes the oldest build that nobody works on. */
export async function claimBuild(): Promise<BuildLease | undefined> {
  const { rows } = await platform().pool.query<LeaseRow>("SELECT * FROM berth_claim_build($1)", [
    LEASE_SECONDS,
  ]);
  const row = rows[0];
  if (!row) return undefined;
  const { org_id: orgId, agent_id: agentId, version, attempt } = row;
  return { orgId, agentId, version, attempt };
}

const keyOf = ({ orgId, agentId, version, attempt }: BuildLease) => [
  orgId,
  agentId,
  version,
  attempt,
];
const HELD =
  "org_id = $1 AND agent_id = $2 AND version = $3 AND attempt = $4 AND status = 'building'";

/** Holds the build for longer. @throws LeaseLost. */
export const renewLease = (lease: BuildLease): Promise<void> =>
  withSqlTransaction(lease.orgId, async ({ sql }) => {
    const rows = await sql(
      `UPDATE deployment SET lease_until = now() + make_interval(secs => $5)
       WHERE ${HELD} RETURNING version`,
      [...keyOf(lease), LEASE_SECONDS],
    );
    if (rows.length === 0) throw new LeaseLost();
  });

const logTopicId = ({ agentId, version }: Pick<BuildLease, "agentId" | "version">): string =>
  `${agentId}/${version}`;

/** Says, after the commit, that a build log grew or that a build waits. */
export function announce(tx: SqlTx, ref: Pick<BuildLease, "agentId" | "version">): void {
  tx.afterCommit(() => {
    platform().pubsub.publish("deployment", logTopicId(ref));
    return Promise.resolve();
  });
}

/** Appends to a build's log in an open transaction. @throws LeaseLost. */
export async function appendLog(
  tx: SqlTx,
  lease: BuildLease,
  entries: readonly BuildLogEntry[],
): Promise<void> {
  const rows = await tx.sql(
    `WITH moved AS (
       UPDATE deployment SET next_log = next_log + cardinality($5::text[])
       WHERE ${HELD} RETURNING next_log - cardinality($5::text[]) AS first)
     INSERT INTO deployment_log (org_id, agent_id, version, index, line)
     SELECT $1, $2, $3, moved.first + line.n - 1, line.value::json
     FROM moved, unnest($5::text[]) WITH ORDINALITY AS line(value, n)
     RETURNING index`,
    [...keyOf(lease), entries.map((entry) => encodeJson(entry))],
  );
  if (rows.length !== entries.length) throw new LeaseLost();
  announce(tx, lease);
}

interface BuildEnd {
  status: "ready" | "failed";
  diagnostics: unknown;
  manifest?: unknown;
  bundleSha?: string;
  /** Stamp of the programs that made the bundle. */
  toolchain?: string;
}

/** Ends a build in an open transaction, after its last line. @throws LeaseLost. */
export async function endBuild(tx: SqlTx, lease: BuildLease, end: BuildEnd): Promise<void> {
  const rows = await tx.sql(
    `UPDATE deployment SET status = $5, diagnostics = $6::json, manifest = $7::json,
       bundle_sha = $8, toolchain = $9, finished_at = now(), lease_until = NULL
     WHERE ${HELD} RETURNING version`,
    [
      ...keyOf(lease),
      end.status,
      encodeJson(end.diagnostics),
      end.manifest === undefined ? null : encodeJson(end.manifest),
      end.bundleSha ?? null,
      end.toolchain ?? null,
    ],
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** Lets another attempt begin at once. */
export const releaseBuild = (lease: BuildLease): Promise<void> =>
  withSqlTransaction(lease.orgId, async (tx) => {
    await tx.sql(`UPDATE deployment SET lease_until = now() WHERE ${HELD}`, keyOf(lease));
    announce(tx, lease);
  });
