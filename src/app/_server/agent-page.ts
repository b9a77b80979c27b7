import { notFound } from "next/navigation";
import { cache } from "react";
import type { Manifest } from "../../protocol/manifest";
import { type AgentRecord, findAgent, getAgent, loadVersion } from "../../server/agents";
import { orNotFound } from "./or-not-found";
import { type OrgPage, orgPage } from "./org-page";

export interface AgentPage extends OrgPage {
  agent: AgentRecord;
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
}

export interface AgentParams {
  org: string;
  agent: string;
}

/** Who asks, in which org and about which agent. Once per request. */
const load = cache(async (org: string, slug: string): Promise<AgentPage> => {
  const page = await orgPage(org);
  const found = await findAgent(page.org.slug, decodeURIComponent(slug));
  if (!found) notFound();
  const agent = await orNotFound(getAgent(page.ctx, { agentId: found.id }));
  return { ...page, agent, base: `/${page.org.slug}/${agent.slug}` };
});

export const agentPage = async (params: Promise<AgentParams>): Promise<AgentPage> => {
  const { org, agent } = await params;
  return load(org, agent);
};

/** The manifest of the active version; `undefined` before the first one was activated. */
export async function activeManifest({ ctx, agent }: AgentPage): Promise<Manifest | undefined> {
  const version = agent.activeVersion;
  if (version === null) return undefined;
  return (await loadVersion({ orgId: ctx.orgId, agentId: agent.id, version })).manifest;
}
