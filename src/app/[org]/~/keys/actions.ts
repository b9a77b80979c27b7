"use server";

import { Permission } from "../../../../protocol/permission";
import { createApiKey, revokeApiKey } from "../../../../server/tenancy";
import type { NewKey } from "../../../../ui/key-form";
import type { Outcome } from "../../../../ui/outcome";
import { orgPage } from "../../../_server/org-page";
import { toOutcome } from "../../../_server/to-outcome";

export async function createKey(org: string, key: NewKey): Promise<Outcome<{ token: string }>> {
  const { ctx } = await orgPage(org);
  const permissions = Permission.array().parse(key.permissions);
  const made = await toOutcome(createApiKey(ctx, { ...key, permissions }));
  return made.ok ? { ok: true, value: { token: made.value.token } } : made;
}

export async function revokeKey(org: string, keyId: string): Promise<Outcome<null>> {
  const { ctx } = await orgPage(org);
  const done = await toOutcome(revokeApiKey(ctx, { keyId }));
  return done.ok ? { ok: true, value: null } : done;
}
