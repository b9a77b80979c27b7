import { decodeText, decodeValue } from "../platform/json-safety";

/** An artifact in a list. */
export interface ArtifactView {
  id: string;
  kind: string;
  key: string;
  version: number;
  title: string | null;
  /** Media type of the contents; null for an artifact of data alone. */
  contentType: string | null;
  /** Bytes of the contents. */
  size: number;
  sha256: string | null;
  sessionId: string | null;
  turnId: string | null;
  callId: string | null;
  createdAt: string;
  expiresAt: string | null;
}

/** An artifact with its data. */
export interface ArtifactRecord extends ArtifactView {
  data: unknown;
}

export interface ArtifactRow {
  id: string;
  kind: string;
  key: string;
  version: number;
  title: string | null;
  content_type: string | null;
  size: string;
  sha256: string | null;
  session_id: string | null;
  turn_id: string | null;
  call_id: string | null;
  created_at: Date;
  expires_at: Date | null;
}

export const ARTIFACT_COLUMNS = `id, kind, key, version, title, content_type, size::text AS size,
  sha256, session_id, turn_id, call_id, created_at, expires_at`;

/** Condition for rows whose time is not over: those that are wait for the sweep, unseen. */
export const IS_KEPT = "(expires_at IS NULL OR expires_at > clock_timestamp())";

export const toArtifactView = (row: ArtifactRow): ArtifactView => ({
  id: row.id,
  kind: decodeText(row.kind),
  key: decodeText(row.key),
  version: row.version,
  title: row.title === null ? null : decodeText(row.title),
  contentType: row.content_type,
  size: Number(row.size),
  sha256: row.sha256,
  sessionId: row.session_id,
  turnId: row.turn_id,
  callId: row.call_id,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
});

export const toArtifactRecord = (row: ArtifactRow & { data: unknown }): ArtifactRecord => ({
  ...toArtifactView(row),
  data: decodeValue(row.data),
});
