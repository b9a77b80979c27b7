import { Rocket } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { listDeployments } from "../../../../server/deployments";
import { AutoRefresh } from "../../../../ui/auto-refresh";
import { Button } from "../../../../ui/button";
import { CommandBlock } from "../../../../ui/command-block";
import { DeploymentList } from "../../../../ui/deployment-list";
import { EmptyState } from "../../../../ui/empty-state";
import { hrefWith } from "../../../../ui/filter-links";
import { Page, PageHeader } from "../../../../ui/page-header";
import { type AgentParams, agentPage } from "../../../_server/agent-page";
import { deploymentRow } from "../../../_server/deployment-row";
import { namesOfMembers } from "../../../_server/principal-names";

export const metadata: Metadata = { title: "Deployments" };

export default async function DeploymentsPage(props: {
  params: Promise<AgentParams>;
  searchParams: Promise<{ cursor?: string }>;
}) {
  const { ctx, org, agent, base } = await agentPage(props.params);
  const cursor = /^\d{1,9}$/.exec((await props.searchParams).cursor ?? "")?.[0];
  const [found, names] = await Promise.all([
    listDeployments(ctx, { agentId: agent.id, ...(cursor ? { cursor } : {}) }),
    namesOfMembers(ctx),
  ]);
  return (
    <Page>
      {cursor ? null : <AutoRefresh />}
      <PageHeader
        title="Deployments"
        note="Versions never change. Activate a built one to go forward or back."
      />
      {found.deployments.length > 0 ? (
        <DeploymentList
          base={base}
          deployments={found.deployments.map((deployment) => deploymentRow(deployment, names))}
        />
      ) : (
        <EmptyState icon={<Rocket />} title="No deployments yet">
          <p>Run this in the agent's folder. The build appears here as soon as it starts.</p>
          <CommandBlock command={`berth deploy --org ${org.slug} --agent ${agent.slug}`} />
        </EmptyState>
      )}
      {found.nextCursor ? (
        <Button asChild className="justify-self-center">
          <Link href={hrefWith(`${base}/deployments`, { cursor: found.nextCursor })}>
            Older versions
          </Link>
        </Button>
      ) : null}
    </Page>
  );
}
