import type { Role } from "../../protocol/permission";
import { platform } from "../platform/platform";
import type { Caller } from "./caller";

export interface MyOrg {
  id: string;
  slug: string;
  name: string;
  /** `null` for a service account, which has permissions and no role. */
  role: Role | null;
}

/** The orgs a caller belongs to: a person's memberships, or a key's one org. */
export async function listMyOrgs(caller: Caller): Promise<MyOrg[]> {
  if (caller.kind === "user") {
    const { rows } = await platform().pool.query<MyOrg>("SELECT * FROM berth_orgs_of_user($1)", [
      caller.userId,
    ]);
    return rows;
  }
  const { rows } = await platform().pool.query<MyOrg>(
    `SELECT o.id, o.slug, o.name, NULL AS role FROM berth_org_by_key($1) o`,
    [caller.keyId],
  );
  return rows;
}
