import { putBlob } from "../blobs";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { encodeJson, encodeText } from "../platform/json-safety";
import { platform } from "../platform/platform";
import { type SqlTx, withSqlTransaction } from "../platform/transaction";
import type { Redactor } from "../secrets";
import { encodeEvents } from "../sessions";
import { lockAgent } from "./agent-lock";
import { CONTENT_BYTES, type Contents, withoutSecrets } from "./contents";
import { holderOf } from "./holder-of";
import { inAgentOrder } from "./in-agent-order";
import type { KindRules } from "./kind-rules";
import type { NewArtifact } from "./new-artifact";

/** Names of secrets may be longer than their values. */
const KEPT_BYTES = 2 * CONTENT_BYTES;
const AGENT_COUNT = 100_000;
const AGENT_BYTES = 20 * 1024 ** 3;

/** Where an artifact comes from; known by the host, never said by a guest. */
export interface ArtifactOrigin {
  orgId: string;
  agentId: string;
  /** Null for a call without a session. */
  sessionId: string | null;
  callId: string | null;
  /** The epoch under which a direct call holds its session. */
  epoch?: number | undefined;
}

export interface Tagging {
  artifact: NewArtifact;
  contents: Contents | undefined;
  rules: KindRules;
  redactor: Redactor;
}

export interface Tagged {
  id: string;
  version: number;
}

/**
 * Keeps a new version of an artifact and says so in the session's log, both or neither.
 * @throws AppError `body_too_large` when the agent's artifacts are full, `session_not_found`
 */
export async function tagArtifact(origin: ArtifactOrigin, tagging: Tagging): Promise<Tagged> {
  const { orgId, agentId } = origin;
  return await inAgentOrder(agentId, () =>
    withSqlTransaction(orgId, (tx) => tagLocked(tx, origin, tagging)),
  );
}

async function tagLocked(tx: SqlTx, origin: ArtifactOrigin, tagging: Tagging): Promise<Tagged> {
  const { agentId, sessionId } = origin;
  await lockAgent(tx, agentId);
  await requireRoom(tx, agentId, tagging.contents?.size ?? 0);
  const tagged = await insert(tx, origin, redacted(tagging));
  tx.afterCommit(() => {
    const { pubsub } = platform();
    pubsub.publish("artifact", agentId);
    if (sessionId !== null) pubsub.publish("session", sessionId);
    return Promise.resolve();
  });
  return tagged;
}

/** Everything a secret may be in, without it; the contents are redacted as they are read. */
function redacted({ artifact, redactor, ...rest }: Tagging): Tagging {
  const { title, data, ...named } = artifact;
  return {
    ...rest,
    redactor,
    artifact: {
      ...named,
      key: redactor.text(artifact.key),
      title: redactor.text(title ?? artifact.key),
      ...(data === undefined ? {} : { data: redactor.json(data) }),
    },
  };
}

async function requireRoom({ orgId, sql }: SqlTx, agentId: string, size: number): Promise<void> {
  const [used] = await sql<{ count: number; bytes: string }>(
    `SELECT count(*)::int AS count, coalesce(sum(size), 0)::text AS bytes
     FROM artifact WHERE org_id = $1 AND agent_id = $2`,
    [orgId, agentId],
  );
  const isFull = (used?.count ?? 0) >= AGENT_COUNT || Number(used?.bytes) + size > AGENT_BYTES;
  if (!isFull) return;
  throw new AppError(
    "body_too_large",
    `An agent keeps at most ${AGENT_COUNT} artifacts of 20 GiB; give their kinds a retention.`,
  );
}

async function insert(tx: SqlTx, origin: ArtifactOrigin, tagging: Tagging): Promise<Tagged> {
  const { artifact, contents, rules, redactor } = tagging;
  const { orgId, agentId, sessionId, callId } = origin;
  const { kind, key, title } = artifact;
  const id = newId("art");
  const blob =
    contents &&
    (await putBlob(orgId, withoutSecrets(contents, redactor), {
      maxBytes: KEPT_BYTES,
      holder: holderOf(origin),
      tx,
    }));
  const turnId = await announce(tx, origin, tagging, id);
  const [row] = await tx.sql<{ version: number }>(
    `INSERT INTO artifact (org_id, id, agent_id, session_id, turn_id, call_id, kind, key, version,
       title, data, content_type, sha256, size, created_at, expires_at)
     SELECT $1, $3, $2, $4, $5, $6, $7, $8,
       1 + coalesce((SELECT max(version) FROM artifact
         WHERE org_id = $1 AND agent_id = $2 AND kind = $7 AND key = $8), 0),
       $9, $10::json, $11, $12, $13, at.now, at.now + make_interval(secs => $14)
     FROM (SELECT greatest(clock_timestamp(), (SELECT max(created_at) + interval '1 ms'
       FROM artifact WHERE org_id = $1 AND agent_id = $2)) AS now) AS at
     RETURNING version`,
    [
      orgId,
      agentId,
      id,
      sessionId,
      turnId,
      callId,
      encodeText(kind),
      encodeText(key),
      encodeText(title ?? key),
      artifact.data === undefined ? null : encodeJson(artifact.data),
      artifact.contentType ?? defaultType(contents),
      blob?.sha256 ?? null,
      blob?.size ?? 0,
      rules.retentionMs === undefined ? null : rules.retentionMs / 1000,
    ],
  );
  if (!row) throw new Error("an artifact was not inserted");
  await expireOlder(tx, agentId, { kind, key, keptFrom: row.version - (rules.max ?? Infinity) });
  return { id, version: row.version };
}

const defaultType = (contents: Contents | undefined): string | null => {
  if (!contents) return null;
  return contents.isText ? "text/plain; charset=utf-8" : "application/octet-stream";
};

/** Says it in the log. @returns the turn that the call belongs to, while it runs */
async function announce(
  { orgId, sql }: SqlTx,
  { sessionId, callId, epoch }: ArtifactOrigin,
  { artifact, redactor }: Tagging,
  artifactId: string,
): Promise<string | null> {
  if (sessionId === null) return null;
  const [turn] = await sql<{ id: string }>(
    `SELECT t.id FROM turn t
     WHERE t.org_id = $1 AND t.session_id = $2 AND t.status = 'running' AND (t.epoch = $4
       OR EXISTS (SELECT 1 FROM tool_call c
         WHERE c.org_id = $1 AND c.turn_id = t.id AND c.call_id = $3))`,
    [orgId, sessionId, callId, epoch ?? null],
  );
  const { kind, key, title } = artifact;
  const data = { artifactId, kind, key, ...(title === undefined ? {} : { title }) };
  const { types, data: encoded } = encodeEvents([{ type: "artifact.tagged", data }], redactor);
  const turnId = turn?.id ?? null;
  const [appended] = await sql<{ first: number | null }>(
    "SELECT berth_append_events($1, $2, NULL, $3, $4, $5) AS first",
    [orgId, sessionId, turnId, types, encoded],
  );
  if ((appended?.first ?? null) !== null) return turnId;
  throw new AppError("session_not_found", "The session is gone, so nothing can be tagged in it.");
}

/** Versions beyond the newest `max` expire now; the sweep removes them. */
async function expireOlder(
  { orgId, sql }: SqlTx,
  agentId: string,
  { kind, key, keptFrom }: { kind: string; key: string; keptFrom: number },
): Promise<void> {
  if (keptFrom < 1) return;
  await sql(
    `UPDATE artifact SET expires_at = clock_timestamp()
     WHERE org_id = $1 AND agent_id = $2 AND kind = $3 AND key = $4 AND version <= $5
       AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
    [orgId, agentId, encodeText(kind), encodeText(key), keptFrom],
  );
}
