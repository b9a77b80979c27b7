import { DeploymentStatus, type DeploymentView } from "../../protocol/build-log";
import { Diagnostic } from "../../protocol/manifest";
import { decodeText, decodeValue } from "../platform/json-safety";

export interface DeploymentRow {
  id: string;
  version: number;
  status: string;
  source_sha: string;
  message: string | null;
  created_by: string;
  created_at: Date;
  finished_at: Date | null;
  diagnostics: unknown;
  active: boolean;
}

/** Columns of a deployment `d` of an agent `a`. */
export const DEPLOYMENT_COLUMNS = `d.id, d.version, d.status, d.source_sha, d.message, d.created_by,
  d.created_at, d.finished_at, d.diagnostics,
  coalesce(a.active_version = d.version, false) AS active`;

export const toDeploymentView = (row: DeploymentRow): DeploymentView => ({
  id: row.id,
  version: row.version,
  status: DeploymentStatus.parse(row.status),
  active: row.active,
  message: row.message === null ? null : decodeText(row.message),
  sourceSha: row.source_sha,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  diagnostics: Diagnostic.array().parse(decodeValue(row.diagnostics)),
});
