import { PERMISSIONS, ROLE_PERMISSIONS, Role } from "../../protocol/permission";
import type { Ctx } from "../platform/context";
import { notFound } from "../platform/errors";
import { newUuid } from "../platform/id";
import { platform } from "../platform/platform";
import type { Caller, KeyCaller, RequestOrigin, UserCaller } from "./caller";

/**
 * The context of a caller inside an org.
 * @throws AppError `not_found` when the caller does not belong to it, as if it did not exist
 */
export async function ctxForCaller(
  caller: Caller,
  orgId: string,
  origin: RequestOrigin,
): Promise<Ctx> {
  const member = caller.kind === "key" ? forKey(caller, orgId) : await forUser(caller, orgId);
  return { ...member, orgId, via: origin.via, ip: origin.ip, requestId: origin.requestId };
}

function forKey(caller: KeyCaller, orgId: string) {
  if (caller.orgId !== orgId) throw notFound();
  return {
    actor: {
      kind: "service" as const,
      id: caller.serviceAccountId,
      label: caller.serviceAccountName.slice(0, 200),
    },
    permissions: caller.permissions,
    onlyAgentId: caller.onlyAgentId,
  };
}

async function forUser(caller: UserCaller, orgId: string) {
  const { rows } = await platform().pool.query<{ role: string | null }>({
    name: "berth_member_role",
    text: "SELECT berth_member_role($1, $2) AS role",
    values: [orgId, caller.userId],
  });
  const role = Role.safeParse(rows[0]?.role);
  if (!role.success) throw notFound();
  return {
    actor: { kind: "user" as const, id: caller.userId, label: caller.name.slice(0, 200) },
    permissions: ROLE_PERMISSIONS[role.data],
  };
}

/** The context of the platform itself doing a named job in an org. */
export const ctxForSystem = (orgId: string, job: string): Ctx => ({
  orgId,
  actor: { kind: "system", id: job },
  permissions: new Set(PERMISSIONS),
  via: "worker",
  ip: null,
  requestId: newUuid(),
});
