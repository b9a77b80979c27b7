import { notFound } from "next/navigation";
import { cache } from "react";
import type { Ctx } from "../../server/platform/context";
import { ctxForCaller, type FoundOrg, findOrg, type UserCaller } from "../../server/tenancy";
import { requireUser } from "./current-user";
import { orNotFound } from "./or-not-found";
import { requestOrigin } from "./request-origin";

export interface OrgPage {
  user: UserCaller;
  org: FoundOrg;
  ctx: Ctx;
}

/** Who asks and in which org; an org they do not belong to is not found. Once per request. */
export const orgPage = cache(async (slug: string): Promise<OrgPage> => {
  const user = await requireUser();
  const org = await findOrg(decodeURIComponent(slug));
  if (!org) notFound();
  const ctx = await orNotFound(ctxForCaller(user, org.id, await requestOrigin()));
  return { user, org, ctx };
});
