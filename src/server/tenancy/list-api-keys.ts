import { z } from "zod";
import { query } from "../platform/verb";

/** The org's API keys that are not revoked, newest first; never their secrets. */
export const listApiKeys = query({
  permission: "keys:manage",
  scope: "org",
  input: z.object({}),
  run: ({ tx }) =>
    tx.db.apiKey.findMany({
      where: { revokedAt: null },
      omit: { hash: true, orgId: true, revokedAt: true },
      orderBy: { id: "desc" },
    }),
});
