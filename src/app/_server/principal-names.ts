import { actorKey, type Ctx } from "../../server/platform/context";
import { listMembers, listServiceAccounts } from "../../server/tenancy";

/** Names of principals, by their key; as far as the reader may know them. */
export async function namesOfMembers(ctx: Ctx): Promise<ReadonlyMap<string, string>> {
  const [people, accounts] = await Promise.all([
    ctx.permissions.has("members:manage") ? listMembers(ctx, {}) : [],
    ctx.permissions.has("keys:manage") ? listServiceAccounts(ctx, {}) : [],
  ]);
  return new Map([
    ...people.map(({ id, name }) => [`user:${id}`, name] as const),
    ...accounts.map(({ id, name }) => [`service:${id}`, name] as const),
    [actorKey(ctx.actor), "You"] as const,
  ]);
}

const TAIL = 6;

/** A principal as people read it: its name, or its kind and the end of its id. */
export function nameOfPrincipal(names: ReadonlyMap<string, string>, principal: string): string {
  const name = names.get(principal);
  if (name !== undefined) return name;
  const [kind = "", ...rest] = principal.split(":");
  return `${kind} …${rest.join(":").slice(-TAIL)}`;
}
