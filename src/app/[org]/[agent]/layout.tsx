import type { Metadata } from "next";
import Link from "next/link";
import type { ReactNode } from "react";
import { AgentTabs } from "../../../ui/agent-tabs";
import { type AgentParams, agentPage } from "../../_server/agent-page";

interface AgentLayoutProps {
  params: Promise<AgentParams>;
  children: ReactNode;
}

export async function generateMetadata({ params }: AgentLayoutProps): Promise<Metadata> {
  const agent = decodeURIComponent((await params).agent);
  return { title: { default: agent, template: `%s · ${agent} · Berth` } };
}

export default async function AgentLayout({ params, children }: AgentLayoutProps) {
  const { agent, org, base } = await agentPage(params);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="shrink-0 border-line border-b px-4 pt-4 sm:px-8">
        <div className="flex min-w-0 items-center gap-2 pb-2 text-sm">
          <Link href={`/${org.slug}`} className="hidden text-faint hover:text-ink sm:inline">
            Agents
          </Link>
          <span aria-hidden="true" className="hidden text-faint sm:inline">
            /
          </span>
          <Link href={base} className="truncate font-semibold text-lg">
            {agent.name}
          </Link>
          <span className="ml-1 rounded border border-line px-1.5 text-2xs text-faint">
            {agent.activeVersion === null ? "not deployed" : `v${agent.activeVersion}`}
          </span>
        </div>
        <AgentTabs base={base} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}
