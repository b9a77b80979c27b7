import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import { AppError, notFound } from "../platform/errors";
import { now } from "../platform/platform";
import type { SqlTx } from "../platform/transaction";
import { sqlMutation, sqlQuery } from "../platform/verb";
import {
  SESSION_COLUMNS,
  SessionId,
  type SessionRow,
  type SessionView,
  toSessionView,
} from "./session-view";

const Input = z.object({ agentId: z.string(), sessionId: SessionId });
type Input = z.output<typeof Input>;

async function load(tx: SqlTx, { agentId, sessionId }: Input): Promise<SessionView> {
  const rows = await tx.sql<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM session WHERE org_id = $1 AND id = $2 AND agent_id = $3`,
    [tx.orgId, sessionId, agentId],
  );
  if (!rows[0]) throw notFound();
  return toSessionView(rows[0]);
}

const ownSession = sqlQuery({
  permission: "agents:invoke",
  scope: "agent",
  input: Input,
  async run({ ctx, input, tx }) {
    const session = await load(tx, input);
    if (session.principal !== actorKey(ctx.actor)) {
      throw new AppError("forbidden", "This session belongs to somebody else.");
    }
    return session;
  },
});

/** Writes only its audit row: one for each person, session and hour. */
const anySession = sqlMutation({
  permission: "sessions:read",
  scope: "agent",
  action: "session.read",
  input: Input,
  run: ({ input, tx }) => load(tx, input),
  audit: ({ id }) => ({ entityId: id, once: now().toISOString().slice(0, "2026-01-01T00".length) }),
});

/**
 * One session of an agent: the caller's own, or with `everyone` anybody's for those who may read
 * sessions. @throws AppError `not_found`, `forbidden`.
 */
export const getSession = (
  ctx: Ctx,
  { everyone = false, ...input }: z.input<typeof Input> & { everyone?: boolean },
): Promise<SessionView> => (everyone ? anySession(ctx, input) : ownSession(ctx, input));
