import type { Metadata } from "next";
import Link from "next/link";
import { Suspense } from "react";
import { actorKey } from "../../../../../server/platform/context";
import { publicUrl } from "../../../../../server/platform/env";
import { platform } from "../../../../../server/platform/platform";
import { getSession } from "../../../../../server/sessions";
import { Button } from "../../../../../ui/button";
import { IdText } from "../../../../../ui/id-text";
import { Page } from "../../../../../ui/page-header";
import { SessionTranscript } from "../../../../../ui/session-transcript";
import { TimeAgo } from "../../../../../ui/time-ago";
import { type AgentParams, activeManifest, agentPage } from "../../../../_server/agent-page";
import { approvalBlocked } from "../../../../_server/approval-blocked";
import { orNotFound } from "../../../../_server/or-not-found";
import { nameOfPrincipal, namesOfMembers } from "../../../../_server/principal-names";
import { sessionRows } from "../../../../_server/session-rows";

export const metadata: Metadata = { title: "Session" };

export default async function SessionPage(props: {
  params: Promise<AgentParams & { id: string }>;
}) {
  const { id } = await props.params;
  const page = await agentPage(props.params);
  const { ctx, org, agent, base } = page;
  const everyone = ctx.permissions.has("sessions:read");
  const session = await orNotFound(getSession(ctx, { agentId: agent.id, sessionId: id, everyone }));
  const mine = session.principal === actorKey(ctx.actor);
  // The agent's API shows people their own sessions only; the control API shows them by role.
  const source = mine
    ? `${base}/v1/session/${session.id}`
    : `/api/v1/orgs/${org.slug}/agents/${agent.slug}/sessions/${session.id}`;
  const [row] = await sessionRows(ctx, [session]);
  const names = await namesOfMembers(ctx);
  const manifest = await activeManifest(page);
  const blocked = approvalBlocked(ctx, mine && manifest?.approvals.self !== true);
  return (
    <Page>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="grid min-w-0 gap-1">
          <h1 className="truncate font-semibold text-xl">{row?.title ?? "Untitled session"}</h1>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-faint text-xs">
            <IdText id={session.id} />
            <span>{session.channel}</span>
            <span>{nameOfPrincipal(names, session.principal)}</span>
            <span>
              started <TimeAgo at={session.createdAt} />
            </span>
          </p>
        </div>
        {mine && session.mode === "chat" ? (
          <Button asChild>
            <Link href={`${base}/playground?session=${session.id}`}>Continue</Link>
          </Button>
        ) : null}
      </header>
      <Suspense>
        <SessionTranscript
          source={source}
          approvals={{ origin: publicUrl(platform().env), base, blocked, me: actorKey(ctx.actor) }}
        />
      </Suspense>
    </Page>
  );
}
