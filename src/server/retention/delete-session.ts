import { z } from "zod";
import { removeHolder } from "../blobs";
import { actorKey, type Ctx } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { platform } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";
import { sqlMutation } from "../platform/verb";

const Input = z.object({ agentId: z.string(), sessionId: z.string().max(64) });

interface Outcome {
  outcome: string;
  stopped: string[];
}

/** Erases a session of an agent: null for `principal` erases anybody's. */
export async function eraseSession(
  tx: SqlTx,
  { agentId, sessionId, principal }: z.output<typeof Input> & { principal: string | null },
): Promise<void> {
  const [row] = await tx.sql<Outcome>("SELECT * FROM berth_erase_session($1, $2, $3, $4)", [
    tx.orgId,
    agentId,
    sessionId,
    principal,
  ]);
  if (row?.outcome === "forbidden") {
    throw new AppError("forbidden", "This session belongs to somebody else.");
  }
  if (row?.outcome !== "ok") throw notFound();
  tx.afterCommit(async () => {
    const { pubsub } = platform();
    for (const turnId of row.stopped) pubsub.publish("cancel", turnId);
    pubsub.publish("session", sessionId);
    pubsub.publish("erased", sessionId);
    if (row.stopped.length > 0) pubsub.publish("turn", sessionId);
    await removeHolder(tx.orgId, sessionId);
  });
}

const audit = (_result: undefined, { sessionId }: z.output<typeof Input>) => ({
  entityId: sessionId,
});

const deleteOwn = sqlMutation({
  permission: "agents:invoke",
  scope: "agent",
  action: "session.delete",
  input: Input,
  audit,
  run: async ({ ctx, input, tx }): Promise<undefined> => {
    await eraseSession(tx, { ...input, principal: actorKey(ctx.actor) });
    return undefined;
  },
});

const deleteAny = sqlMutation({
  permission: "sessions:write",
  scope: "agent",
  action: "session.delete",
  input: Input,
  audit,
  run: async ({ input, tx }): Promise<undefined> => {
    await eraseSession(tx, { ...input, principal: null });
    return undefined;
  },
});

/**
 * Erases a session: the caller's own, or with `everyone` anybody's for those who may write
 * sessions. It is stopped at once; its events, messages, steps, calls, approvals, workspace and
 * artifacts are gone when this resolves. @throws AppError `not_found`, `forbidden`.
 */
export const deleteSession = (
  ctx: Ctx,
  { everyone = false, ...input }: z.input<typeof Input> & { everyone?: boolean },
): Promise<undefined> => (everyone ? deleteAny(ctx, input) : deleteOwn(ctx, input));
