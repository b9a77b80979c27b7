import { z } from "zod";
import { actorKey, type Ctx } from "../platform/context";
import type { SqlTx } from "../platform/transaction";
import { sqlQuery } from "../platform/verb";
import { SESSION_COLUMNS, type SessionRow, type SessionView, toSessionView } from "./session-view";

const Input = z.object({
  agentId: z.string(),
  status: z.enum(["waiting", "queued", "running", "parked", "completed", "failed"]).optional(),
  channel: z.string().max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** The `nextCursor` of the page before. */
  cursor: z.string().max(64).optional(),
});
type Input = z.output<typeof Input>;

export interface SessionPage {
  sessions: SessionView[];
  nextCursor: string | null;
}

/** Ids sort by time, so the last id of a page is the cursor of the next. */
async function page(tx: SqlTx, input: Input, principal: string | null): Promise<SessionPage> {
  const rows = await tx.sql<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM session
     WHERE org_id = $1 AND agent_id = $2
       AND ($3::text IS NULL OR principal = $3) AND ($4::text IS NULL OR status = $4)
       AND ($5::text IS NULL OR channel = $5) AND ($6::text IS NULL OR id < $6)
     ORDER BY id DESC LIMIT $7`,
    [
      tx.orgId,
      input.agentId,
      principal,
      input.status ?? null,
      input.channel ?? null,
      input.cursor ?? null,
      input.limit + 1,
    ],
  );
  const sessions = rows.slice(0, input.limit).map(toSessionView);
  const nextCursor = rows.length > input.limit ? (sessions.at(-1)?.id ?? null) : null;
  return { sessions, nextCursor };
}

const ownSessions = sqlQuery({
  permission: "agents:invoke",
  scope: "agent",
  input: Input,
  run: ({ ctx, input, tx }) => page(tx, input, actorKey(ctx.actor)),
});

const allSessions = sqlQuery({
  permission: "sessions:read",
  scope: "agent",
  input: Input,
  run: ({ input, tx }) => page(tx, input, null),
});

/** Sessions of an agent, newest first: the caller's own, or with `everyone` all of them. */
export const listSessions = (
  ctx: Ctx,
  { everyone = false, ...input }: z.input<typeof Input> & { everyone?: boolean },
): Promise<SessionPage> => (everyone ? allSessions(ctx, input) : ownSessions(ctx, input));
