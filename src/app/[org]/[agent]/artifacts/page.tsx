import { FileBox } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { listArtifacts } from "../../../../server/artifacts";
import { ArtifactList } from "../../../../ui/artifact-list";
import { AutoRefresh } from "../../../../ui/auto-refresh";
import { Button } from "../../../../ui/button";
import { CommandBlock } from "../../../../ui/command-block";
import { listArtifactsCommand } from "../../../../ui/commands";
import { EmptyState } from "../../../../ui/empty-state";
import { FilterLinks, hrefWith } from "../../../../ui/filter-links";
import { Page, PageHeader } from "../../../../ui/page-header";
import { type AgentParams, activeManifest, agentPage } from "../../../_server/agent-page";
import { type ArtifactQuery, artifactQuery } from "../../../_server/artifact-query";
import { artifactRow, kindChoices } from "../../../_server/artifact-rows";

export const metadata: Metadata = { title: "Artifacts" };

const EXAMPLE = `await ctx.artifacts.tag({
  kind: "report",
  key: "weekly",
  contents: text,
});`;

export default async function ArtifactsPage(props: {
  params: Promise<AgentParams>;
  searchParams: Promise<ArtifactQuery>;
}) {
  const page = await agentPage(props.params);
  const query = artifactQuery(await props.searchParams);
  const [found, manifest] = await Promise.all([
    listArtifacts(page.ctx, { agentId: page.agent.id, ...query }),
    activeManifest(page),
  ]);
  const path = `${page.base}/artifacts`;
  const filtered = Object.values(query).some((value) => value !== undefined);
  const choices = kindChoices(found.artifacts, manifest, query.kind);
  return (
    <Page>
      {query.cursor ? null : <AutoRefresh />}
      <PageHeader
        title="Artifacts"
        note="What the agent keeps for people, in versions by kind and key."
      />
      {choices.length > 1 ? (
        <FilterLinks label="Kind" path={path} query={{ ...query }} name="kind" choices={choices} />
      ) : null}
      {found.artifacts.length > 0 ? (
        <>
          <ArtifactList base={page.base} artifacts={found.artifacts.map(artifactRow)} />
          <CommandBlock command={listArtifactsCommand(page.base)} />
        </>
      ) : (
        <EmptyState
          icon={<FileBox />}
          title={filtered ? "No artifact matches" : "No artifacts yet"}
        >
          <p>A tool keeps a result for people with this call. It appears here at once.</p>
          <CommandBlock command={EXAMPLE} />
          {filtered ? (
            <Button asChild look="primary" className="justify-self-center">
              <Link href={path}>Clear the filter</Link>
            </Button>
          ) : null}
        </EmptyState>
      )}
      {found.nextCursor ? (
        <Button asChild className="justify-self-center">
          <Link href={hrefWith(path, { ...query, cursor: found.nextCursor })}>Older artifacts</Link>
        </Button>
      ) : null}
    </Page>
  );
}
