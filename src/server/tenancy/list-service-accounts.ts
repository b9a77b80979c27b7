import { z } from "zod";
import { query } from "../platform/verb";

/** The org's service accounts, by name. */
export const listServiceAccounts = query({
  permission: "keys:manage",
  scope: "org",
  input: z.object({}),
  run: ({ tx }) =>
    tx.db.serviceAccount.findMany({
      select: { id: true, name: true, createdAt: true },
      orderBy: { name: "asc" },
    }),
});
