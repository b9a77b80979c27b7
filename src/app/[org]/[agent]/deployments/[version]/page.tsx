import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getDeployment } from "../../../../../server/deployments";
import { ActivateButton } from "../../../../../ui/activate-button";
import { AgentSurface } from "../../../../../ui/agent-surface";
import { BuildLog } from "../../../../../ui/build-log";
import { DeploymentHeader } from "../../../../../ui/deployment-header";
import { DiagnosticList } from "../../../../../ui/diagnostic-list";
import { Page } from "../../../../../ui/page-header";
import { type AgentParams, agentPage } from "../../../../_server/agent-page";
import { deploymentRow } from "../../../../_server/deployment-row";
import { orNotFound } from "../../../../_server/or-not-found";
import { namesOfMembers } from "../../../../_server/principal-names";
import { activate } from "./actions";

type Params = Promise<AgentParams & { version: string }>;

export async function generateMetadata(props: { params: Params }): Promise<Metadata> {
  return { title: `Version ${decodeURIComponent((await props.params).version)}` };
}

export default async function DeploymentPage(props: { params: Params }) {
  const { version: text } = await props.params;
  if (!/^[1-9]\d{0,8}$/.test(text)) notFound();
  const version = Number(text);
  const { ctx, org, agent, base } = await agentPage(props.params);
  const deployment = await orNotFound(getDeployment(ctx, { agentId: agent.id, version }));
  const { diagnostics, manifest, status, active } = deployment;
  const blocked = ctx.permissions.has("deployments:write")
    ? undefined
    : "You need the permission deployments:write";
  return (
    <Page>
      <DeploymentHeader
        base={base}
        deployment={deploymentRow(deployment, await namesOfMembers(ctx))}
        actions={
          status === "ready" && !active ? (
            <ActivateButton
              version={version}
              blocked={blocked}
              onActivate={activate.bind(null, org.slug, agent.slug)}
            />
          ) : null
        }
      />
      {diagnostics.length > 0 ? (
        <section className="grid gap-2">
          <h2 className="font-semibold text-sm">Findings</h2>
          <DiagnosticList diagnostics={diagnostics} />
        </section>
      ) : null}
      <BuildLog
        source={`/api/v1/orgs/${org.slug}/agents/${agent.slug}/deployments/${version}/log`}
      />
      {manifest ? <AgentSurface manifest={manifest} base={base} /> : null}
    </Page>
  );
}
