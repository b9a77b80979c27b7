import { MessagesSquare } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { listSessions } from "../../../../server/sessions";
import { AutoRefresh } from "../../../../ui/auto-refresh";
import { Button } from "../../../../ui/button";
import { EmptyState } from "../../../../ui/empty-state";
import { FilterLinks, hrefWith } from "../../../../ui/filter-links";
import { Page, PageHeader } from "../../../../ui/page-header";
import { SessionList } from "../../../../ui/session-list";
import { type AgentParams, agentPage } from "../../../_server/agent-page";
import { type SessionQuery, STATUS_CHOICES, sessionQuery } from "../../../_server/session-query";
import { sessionRows } from "../../../_server/session-rows";

export const metadata: Metadata = { title: "Sessions" };

export default async function SessionsPage(props: {
  params: Promise<AgentParams>;
  searchParams: Promise<SessionQuery>;
}) {
  const page = await agentPage(props.params);
  const query = sessionQuery(await props.searchParams);
  const everyone = page.ctx.permissions.has("sessions:read");
  const found = await listSessions(page.ctx, { agentId: page.agent.id, everyone, ...query });
  const path = `${page.base}/sessions`;
  const filtered = query.status !== undefined || query.cursor !== undefined;
  return (
    <Page>
      {query.cursor ? null : <AutoRefresh />}
      <PageHeader title="Sessions" note={everyone ? undefined : "Your own sessions."} />
      <FilterLinks
        label="Status"
        path={path}
        query={{ ...query }}
        name="status"
        choices={STATUS_CHOICES}
      />
      {found.sessions.length > 0 ? (
        <SessionList base={page.base} sessions={await sessionRows(page.ctx, found.sessions)} />
      ) : (
        <EmptyState
          icon={<MessagesSquare />}
          title={filtered ? "No session matches" : "No sessions yet"}
        >
          <p>Every conversation with this agent appears here, from whatever channel it came.</p>
          <Button asChild look="primary" className="justify-self-center">
            <Link href={filtered ? path : `${page.base}/playground`}>
              {filtered ? "Clear the filter" : "Start one in the playground"}
            </Link>
          </Button>
        </EmptyState>
      )}
      {found.nextCursor ? (
        <Button asChild className="justify-self-center">
          <Link href={hrefWith(path, { ...query, cursor: found.nextCursor })}>Older sessions</Link>
        </Button>
      ) : null}
    </Page>
  );
}
