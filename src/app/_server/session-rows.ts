import type { Ctx } from "../../server/platform/context";
import { readEvents, type SessionView } from "../../server/sessions";
import type { SessionRow } from "../../ui/session-list";
import { nameOfPrincipal, namesOfMembers } from "./principal-names";

/** The first message is among the first events of every session. */
const FIRST_EVENTS = 3;
const TITLE_CHARACTERS = 140;

/** A session without a title is known by what was first said in it. */
async function titleOf(orgId: string, session: SessionView): Promise<string | null> {
  if (session.title) return session.title;
  const page = await readEvents(orgId, session.id, 0, FIRST_EVENTS);
  for (const line of page?.lines ?? []) {
    const event = JSON.parse(line) as { type: string; data: { text?: string } };
    if (event.type === "message.received")
      return event.data.text?.slice(0, TITLE_CHARACTERS) ?? null;
  }
  return null;
}

/** Sessions as their list shows them. */
export async function sessionRows(ctx: Ctx, sessions: SessionView[]): Promise<SessionRow[]> {
  const names = await namesOfMembers(ctx);
  return Promise.all(
    sessions.map(async (session) => ({
      id: session.id,
      title: await titleOf(ctx.orgId, session),
      status: session.status,
      channel: session.channel,
      principal: nameOfPrincipal(names, session.principal),
      tokens: session.usage.inputTokens + session.usage.outputTokens,
      costUsd: session.costUsd,
      updatedAt: session.updatedAt,
    })),
  );
}
