import { notFound } from "../platform/errors";
import type { OrgSql } from "./data-key";

/** The scope of the org's own secrets. */
export const ORG_SCOPE = "*";

export const scopeOf = (agentId: string | undefined): string => agentId ?? ORG_SCOPE;

/**
 * Raises the revision that running processes compare, and locks its row: changes of the same
 * scope happen one after the other. @throws AppError `not_found` for a foreign agent
 */
export async function raiseRevision(tx: OrgSql, agentId: string | undefined): Promise<void> {
  const rows =
    agentId === undefined
      ? await tx.sql(
          "UPDATE org SET secrets_revision = secrets_revision + 1 WHERE id = $1 RETURNING id",
          [tx.orgId],
        )
      : await tx.sql(
          `UPDATE agent SET secrets_revision = secrets_revision + 1
           WHERE org_id = $1 AND id = $2 RETURNING id`,
          [tx.orgId, agentId],
        );
  if (rows.length === 0) throw notFound();
}
