import { actorKey, type Ctx } from "./context";
import { newUuid } from "./id";
import { encodeJson } from "./json-safety";
import type { Sql } from "./transaction";

/** What an audit row says besides who, when and from where. Values are masked by the verb. */
export interface AuditNote {
  entityId: string;
  before?: unknown;
  after?: unknown;
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
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json, $10::json)`,
    [
      ctx.orgId,
      newUuid(),
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
