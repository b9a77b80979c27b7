import { Download } from "lucide-react";
import type { Metadata } from "next";
import { getArtifact } from "../../../../../server/artifacts";
import { publicUrl } from "../../../../../server/platform/env";
import { platform } from "../../../../../server/platform/platform";
import { ArtifactFacts } from "../../../../../ui/artifact-facts";
import { Button } from "../../../../../ui/button";
import { downloadCommands } from "../../../../../ui/commands";
import { IdText } from "../../../../../ui/id-text";
import { JsonView } from "../../../../../ui/json-view";
import { Page, PageHeader } from "../../../../../ui/page-header";
import { Snippets } from "../../../../../ui/snippets";
import { type AgentParams, agentPage } from "../../../../_server/agent-page";
import { orNotFound } from "../../../../_server/or-not-found";

export const metadata: Metadata = { title: "Artifact" };

export default async function ArtifactPage(props: {
  params: Promise<AgentParams & { id: string }>;
}) {
  const { id } = await props.params;
  const { ctx, org, agent, base } = await agentPage(props.params);
  const artifact = await orNotFound(getArtifact(ctx, { agentId: agent.id, id }));
  const content = `/api/v1/orgs/${org.slug}/agents/${agent.slug}/artifacts/${artifact.id}/content`;
  const isEmpty = artifact.sha256 === null && artifact.data === null;
  const target = { origin: publicUrl(platform().env), base };
  return (
    <Page>
      <PageHeader
        title={artifact.title ?? artifact.key}
        note={<IdText id={artifact.id} />}
        actions={
          isEmpty ? null : (
            <Button asChild look="primary">
              <a href={content} download>
                <Download />
                Download
              </a>
            </Button>
          )
        }
      />
      <ArtifactFacts base={base} artifact={artifact} />
      {artifact.data === null ? null : (
        <section className="grid gap-1.5">
          <h2 className="font-medium text-sm">Data</h2>
          <JsonView value={artifact.data} label="the artifact's data" />
        </section>
      )}
      {isEmpty ? null : (
        <section className="grid gap-1.5">
          <h2 className="font-medium text-sm">Download it from a terminal</h2>
          <Snippets label="Download with" snippets={downloadCommands(target, artifact.id)} />
        </section>
      )}
    </Page>
  );
}
