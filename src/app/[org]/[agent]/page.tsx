import { MessageSquare, Rocket } from "lucide-react";
import Link from "next/link";
import { publicUrl } from "../../../server/platform/env";
import { platform } from "../../../server/platform/platform";
import { AgentSurface } from "../../../ui/agent-surface";
import { Button } from "../../../ui/button";
import { CommandBlock } from "../../../ui/command-block";
import { sendCommands } from "../../../ui/commands";
import { EmptyState } from "../../../ui/empty-state";
import { ModelLabel } from "../../../ui/model-label";
import { Page } from "../../../ui/page-header";
import { Snippets } from "../../../ui/snippets";
import { type AgentParams, activeManifest, agentPage } from "../../_server/agent-page";

export default async function AgentOverviewPage(props: { params: Promise<AgentParams> }) {
  const page = await agentPage(props.params);
  const { base, agent, org } = page;
  const manifest = await activeManifest(page);
  const origin = publicUrl(platform().env);
  if (!manifest) {
    return (
      <EmptyState alone icon={<Rocket />} title={`${agent.name} has no active version`}>
        <p>Deploy it from its folder; the version that builds becomes active.</p>
        <CommandBlock command={`berth deploy --org ${org.slug} --agent ${agent.slug}`} />
      </EmptyState>
    );
  }
  return (
    <Page>
      <h1 className="sr-only">{agent.name}</h1>
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <section className="grid min-w-0 content-start gap-3">
          <p className="max-w-prose text-soft">
            {manifest.description ?? "This agent has no description yet."}
          </p>
          <ModelLabel model={manifest.models[0]?.id ?? ""} />
          <Button asChild look="primary" className="justify-self-start">
            <Link href={`${base}/playground`}>
              <MessageSquare />
              Open playground
            </Link>
          </Button>
        </section>
        <section className="grid min-w-0 content-start gap-1.5">
          <h2 className="font-medium text-sm">Call it from anywhere</h2>
          <Snippets label="Call with" snippets={sendCommands({ origin, base }, "Hello")} />
        </section>
      </div>
      <AgentSurface manifest={manifest} base={base} />
    </Page>
  );
}
