import { Manifest } from "../../protocol/manifest";
import { AppError, notFound } from "../platform/errors";
import { decodeValue } from "../platform/json-safety";
import { withSqlTransaction } from "../platform/transaction";
import type { VersionRef } from "./version-ref";

/** What a finished version consists of; never changes. */
export interface AgentVersion extends VersionRef {
  deploymentId: string;
  manifest: Manifest;
  bundleSha: string;
  sourceSha: string;
  status: string;
}

interface VersionRow {
  id: string;
  status: string;
  source_sha: string;
  bundle_sha: string | null;
  manifest: unknown;
}

const CACHED_VERSIONS = 500;
/** In the order of last use: the first is dropped first. */
const cache = new Map<string, AgentVersion>();

/**
 * A finished version of an agent, from memory after the first time.
 * @throws AppError `not_found`, `version_not_ready` while it builds and when its build failed
 */
export async function loadVersion(ref: VersionRef): Promise<AgentVersion> {
  const key = `${ref.orgId}/${ref.agentId}/${ref.version}`;
  const version = cache.get(key) ?? (await readVersion(ref));
  cache.delete(key);
  cache.set(key, version);
  const [oldest] = cache.keys();
  if (cache.size > CACHED_VERSIONS && oldest !== undefined) cache.delete(oldest);
  return version;
}

async function readVersion({ orgId, agentId, version }: VersionRef): Promise<AgentVersion> {
  const [row] = await withSqlTransaction(orgId, (tx) =>
    tx.sql<VersionRow>(
      `SELECT id, status, source_sha, bundle_sha, manifest FROM deployment
       WHERE org_id = $1 AND agent_id = $2 AND version = $3`,
      [orgId, agentId, version],
    ),
  );
  if (!row) throw notFound();
  if (!row.bundle_sha || !row.manifest) throw versionNotReady(version, row.status);
  return {
    orgId,
    agentId,
    version,
    deploymentId: row.id,
    manifest: Manifest.parse(decodeValue(row.manifest)),
    bundleSha: row.bundle_sha,
    sourceSha: row.source_sha,
    status: row.status,
  };
}

export const versionNotReady = (version: number, status: string): AppError =>
  new AppError("version_not_ready", `Version ${version} is ${status}; only a built one can run.`);
