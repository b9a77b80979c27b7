import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import { AppError } from "../platform/errors";
import { sqlQuery } from "../platform/verb";

/** The session a direct call is bound to. */
export interface CallSessionRow {
  id: string;
  channel: string;
  mode: "chat" | "task";
  principal: string;
  dry_run: boolean;
  as_of: Date | null;
  continuation_token: string;
}

/** What a token says: the channel, and the conversation's key in it. */
export interface TokenParts {
  channel: string;
  key: string;
}

const COLUMNS = "id, channel, mode, principal, dry_run, as_of, continuation_token";

const findSession = sqlQuery({
  permission: "tools:call",
  scope: "agent",
  input: z.object({
    agentId: z.string(),
    sessionId: z.string().max(64).optional(),
    channel: z.string().optional(),
    continuationToken: z.string().max(512).optional(),
  }),
  async run({ input, tx }): Promise<CallSessionRow | undefined> {
    const { agentId, sessionId, channel, continuationToken } = input;
    const [where, values] =
      sessionId === undefined
        ? ["channel = $3 AND continuation_token = $4", [channel, continuationToken]]
        : ["id = $3", [sessionId]];
    const rows = await tx.sql<CallSessionRow>(
      `SELECT ${COLUMNS} FROM session WHERE org_id = $1 AND agent_id = $2 AND ${where}`,
      [tx.orgId, agentId, ...values],
    );
    return rows[0];
  },
});

function requireOwner(ctx: Ctx, session: CallSessionRow): CallSessionRow {
  if (session.principal === actorKey(ctx.actor)) return session;
  throw new AppError("forbidden", "This session belongs to somebody else.");
}

const invalidToken = (message: string): AppError =>
  new AppError("invalid_continuation_token", message);

/** @throws AppError `invalid_continuation_token` for what is not `<channelId>:<key>`. */
function parseToken(token: string): TokenParts {
  const [, channel, key] = /^([^:]+):(.+)$/s.exec(token) ?? [];
  if (channel !== undefined && key !== undefined) return { channel, key };
  throw invalidToken("A continuation token is <channelId>:<key>, as GET /v1/sessions lists it.");
}

/** What a direct call is bound to: a session, a conversation without one, or nothing. */
export type Binding =
  | { session: CallSessionRow; token?: undefined }
  | { session?: undefined; token: TokenParts }
  | { session?: undefined; token?: undefined };

/**
 * The session that an id or a continuation token names. A token without a session is an identity
 * of its own. @throws AppError `session_not_found`, `forbidden`, `invalid_continuation_token`.
 */
export async function bindCall(
  ctx: Ctx,
  agentId: string,
  {
    sessionId,
    continuationToken,
  }: { sessionId?: string | undefined; continuationToken?: string | undefined },
): Promise<Binding> {
  if (continuationToken === undefined) {
    if (sessionId === undefined) return {};
    const session = await findSession(ctx, { agentId, sessionId });
    if (session) return { session: requireOwner(ctx, session) };
    throw new AppError("session_not_found", "The agent has no session of that id.");
  }
  if (sessionId !== undefined) {
    throw invalidToken("Send either sessionId or continuationToken, not both.");
  }
  const token = parseToken(continuationToken);
  const { channel } = token;
  const session = await findSession(ctx, { agentId, channel, continuationToken });
  return session ? { session: requireOwner(ctx, session) } : { token };
}
