import { z } from "zod";
import { newId } from "../platform/id";
import { mutation } from "../platform/verb";

export const ServiceAccountName = z.string().trim().min(1).max(100);

/** Makes a service account: the lasting principal behind API keys. */
export const createServiceAccount = mutation({
  permission: "keys:manage",
  scope: "org",
  input: z.object({ name: ServiceAccountName }),
  action: "service-account.create",
  async run({ ctx, input, tx }) {
    const id = newId("svc");
    await tx.db.serviceAccount.create({ data: { orgId: ctx.orgId, id, name: input.name } });
    return { id, name: input.name };
  },
  audit: (account) => ({ entityId: account.id, after: { name: account.name } }),
});
