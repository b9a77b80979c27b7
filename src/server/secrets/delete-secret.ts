import { z } from "zod";
import { notFound } from "../platform/errors";
import { now } from "../platform/platform";
import { mutation } from "../platform/verb";
import { raiseRevision, scopeOf } from "./secret-scope";

/** Forgets a secret with all its versions: the sealed bytes go, the receipts stay. */
export const deleteSecret = mutation({
  permission: "secrets:write",
  scope: "agent",
  input: z.object({ agentId: z.string().optional(), name: z.string() }),
  action: "secret.delete",
  async run({ input, tx }) {
    await raiseRevision(tx, input.agentId);
    const { count } = await tx.db.secret.updateMany({
      where: { scope: scopeOf(input.agentId), name: input.name, deletedAt: null },
      data: { deletedAt: now(), sealed: new Uint8Array() },
    });
    if (count === 0) throw notFound();
  },
  audit: (_result, { agentId, name }) => ({ entityId: scopeOf(agentId), before: { name } }),
});
