import { z } from "zod";
import { notFound } from "../platform/errors";
import { now } from "../platform/platform";
import { mutation } from "../platform/verb";

/** Ends an API key at once. @throws AppError `not_found` for a foreign or already revoked key */
export const revokeApiKey = mutation({
  permission: "keys:manage",
  scope: "org",
  input: z.object({ keyId: z.string() }),
  action: "key.revoke",
  async run({ input, tx }) {
    const { count } = await tx.db.apiKey.updateMany({
      where: { id: input.keyId, revokedAt: null },
      data: { revokedAt: now() },
    });
    if (count === 0) throw notFound();
  },
  audit: (_result, input) => ({ entityId: input.keyId }),
});
