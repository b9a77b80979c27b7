import { createHash } from "node:crypto";
import { actorKey, type Ctx } from "./context";
import { newUuid } from "./id";
import { encodeJson } from "./json-safety";
import type { Sql } from "./transaction";

/** What an audit row says besides who, when and from where. Values are masked by the verb. */
export interface AuditNote {
  entityId: string;
  before?: unknown;
  after?: unknown;
  /** Only the first row of this actor, action and entity with the same text here is written. */
  once?: string;
}

/** The id of the one row of its kind, so that the primary key keeps the second out. */
function idOf(ctx: Ctx, action: string, { entityId, once }: AuditNote): string {
  if (once === undefined) return newUuid();
  const kind = [actorKey(ctx.actor), action, entityId, once].join("\n");
  return createHash("sha256").update(kind).digest("hex").slice(0, 32);
}

const json = (value: unknown): string | null => (value === undefined ? null : encodeJson(value));

/** Writes one audit row in the verb's own transaction (SPEC 17). */
export async function writeAudit(
  sql: Sql,
  ctx: Ctx,
  action: string,
  note: AuditNote,
): Promise<void> {
  await sql(
    `INSERT INTO audit_entry (org_id, id, actor, via, ip, request_id, action, entity_id, before, after)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10::json)
     ${note.once === undefined ? "" : "ON CONFLICT (org_id, id) DO NOTHING"}`,
    [
      ctx.orgId,
      idOf(ctx, action, note),
      actorKey(ctx.actor),
      ctx.via,
      ctx.ip,
      ctx.requestId,
      action,
      note.entityId,
      json(note.before),
      json(note.after),
    ],
  );
}
