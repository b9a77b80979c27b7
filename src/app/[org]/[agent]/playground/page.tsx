import type { Metadata } from "next";
import { Suspense } from "react";
import { actorKey } from "../../../../server/platform/context";
import { publicUrl } from "../../../../server/platform/env";
import { platform } from "../../../../server/platform/platform";
import { Playground } from "../../../../ui/playground";
import { type AgentParams, activeManifest, agentPage } from "../../../_server/agent-page";
import { approvalBlocked } from "../../../_server/approval-blocked";

export const metadata: Metadata = { title: "Playground" };

export default async function PlaygroundPage(props: { params: Promise<AgentParams> }) {
  const page = await agentPage(props.params);
  const { base, agent, ctx } = page;
  const manifest = await activeManifest(page);
  const mayInvoke = ctx.permissions.has("agents:invoke");
  return (
    <Suspense>
      <Playground
        base={base}
        origin={publicUrl(platform().env)}
        agent={{ name: agent.name, description: manifest?.description }}
        model={manifest?.models[0]?.id ?? ""}
        tools={(manifest?.tools ?? []).map(({ name, description }) => ({ name, description }))}
        me={actorKey(ctx.actor)}
        undecidable={approvalBlocked(ctx, manifest?.approvals.self !== true)}
        blocked={blockedReason(manifest !== undefined, mayInvoke)}
      />
    </Suspense>
  );
}

function blockedReason(deployed: boolean, mayInvoke: boolean): string | undefined {
  if (!deployed) return "Deploy a version first";
  return mayInvoke ? undefined : "You need the permission agents:invoke";
}
