"use server";

import { createOrg } from "../server/tenancy";
import type { Outcome } from "../ui/outcome";
import { requireUser } from "./_server/current-user";
import { requestOrigin } from "./_server/request-origin";
import { toOutcome } from "./_server/to-outcome";

export async function foundOrg(org: {
  slug: string;
  name: string;
}): Promise<Outcome<{ slug: string }>> {
  const user = await requireUser();
  return toOutcome(createOrg(user, { slug: org.slug, name: org.name }, await requestOrigin()));
}
