import { z } from "zod";
import { Slug } from "../../protocol/id";
import { ROLE_PERMISSIONS } from "../../protocol/permission";
import { writeAudit } from "../platform/audit-row";
import { AppError, invalidRequest } from "../platform/errors";
import { newId } from "../platform/id";
import { platform } from "../platform/platform";
import { type Tx, withTransaction } from "../platform/transaction";
import type { RequestOrigin } from "./caller";
import { OrgSettings } from "./org-settings";

const NewOrg = z.object({
  slug: Slug,
  name: z.string().trim().min(1).max(100).optional(),
  settings: OrgSettings.partial().default({}),
});

export interface CreatedOrg {
  id: string;
  slug: string;
  name: string;
}

/**
 * Makes an org and its first member, the owner.
 * @throws AppError `already_exists` (slugs differ in more than case), `invalid_request`,
 *   `unsafe_sandbox_single_org` where tenants' code is not kept apart
 */
export async function createOrg(
  owner: { userId: string; name: string },
  input: z.input<typeof NewOrg>,
  origin: RequestOrigin,
): Promise<CreatedOrg> {
  const parsed = NewOrg.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error);
  const { slug, name = slug, settings } = parsed.data;
  const org = { id: newId("org"), slug, name };
  await withTransaction(org.id, async (tx) => {
    await requireRoomForOrg(tx);
    const made = await tx.sql(
      `INSERT INTO org (id, slug, slug_key, name, settings) VALUES ($1, $2, lower($2), $3, $4::jsonb)
       ON CONFLICT (slug_key) DO NOTHING RETURNING id`,
      [org.id, slug, name, JSON.stringify(OrgSettings.parse(settings))],
    );
    if (made.length === 0) throw new AppError("already_exists", `The name ${slug} is taken.`);
    await tx.db.member.create({ data: { orgId: org.id, userId: owner.userId, role: "owner" } });
    const actor = { kind: "user" as const, id: owner.userId, label: owner.name };
    const ctx = { orgId: org.id, actor, permissions: ROLE_PERMISSIONS.owner, ...origin };
    await writeAudit(tx.sql, ctx, "org.create", { entityId: org.id, after: { slug, name } });
  });
  return org;
}

/** Without isolation between tenants there is one tenant (SPEC 12). */
async function requireRoomForOrg(tx: Tx): Promise<void> {
  if (platform().env.BERTH_SANDBOX !== "unsafe-process") return;
  await tx.sql("SELECT berth_lock_orgs()::text");
  const [row] = await tx.sql<{ orgs: number }>("SELECT berth_org_count()::int AS orgs");
  if ((row?.orgs ?? 0) === 0) return;
  throw new AppError(
    "unsafe_sandbox_single_org",
    "This installation runs without a sandbox and so holds one org. Restart it without --unsafe-sandbox.",
  );
}
