import { z } from "zod";
import { query } from "../platform/verb";

/** The org's model providers by name, without their keys. */
export const listModelProviders = query({
  permission: "models:manage",
  scope: "org",
  input: z.object({}),
  run: ({ tx }) =>
    tx.db.modelProvider.findMany({
      select: { name: true, kind: true, baseUrl: true, fingerprint: true, updatedAt: true },
      orderBy: { name: "asc" },
    }),
});
