import { Bot } from "lucide-react";
import type { Metadata } from "next";
import { publicUrl } from "../../server/platform/env";
import { now, platform } from "../../server/platform/platform";
import { AgentList } from "../../ui/agent-list";
import { AutoRefresh } from "../../ui/auto-refresh";
import { CommandBlock } from "../../ui/command-block";
import { EmptyState } from "../../ui/empty-state";
import { Page, PageHeader } from "../../ui/page-header";
import { agentRows } from "../_server/agent-rows";
import { orgPage } from "../_server/org-page";

export const metadata: Metadata = { title: "Agents" };

const firstSteps = (origin: string, org: string): string =>
  `export BERTH_URL=${origin} BERTH_TOKEN=<an API key>\nberth deploy --org ${org}`;

export default async function AgentsPage(props: { params: Promise<{ org: string }> }) {
  const { org, ctx } = await orgPage((await props.params).org);
  const agents = await agentRows(ctx, now().getTime());
  return (
    <Page>
      <AutoRefresh />
      <PageHeader title="Agents" note={`Everything ${org.name} has deployed.`} />
      {agents.length > 0 ? (
        <AgentList org={org.slug} agents={agents} />
      ) : (
        <EmptyState icon={<Bot />} title="No agents yet">
          <p>
            An agent is a folder of Markdown and TypeScript. Run this in one and it appears here.
          </p>
          <CommandBlock command={firstSteps(publicUrl(platform().env), org.slug)} />
        </EmptyState>
      )}
    </Page>
  );
}
