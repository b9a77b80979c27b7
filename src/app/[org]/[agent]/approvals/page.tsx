import type { Metadata } from "next";
import { listApprovals } from "../../../../server/approvals";
import { publicUrl } from "../../../../server/platform/env";
import { platform } from "../../../../server/platform/platform";
import { ApprovalInbox } from "../../../../ui/approval-inbox";
import { listApprovalsCommand } from "../../../../ui/commands";
import { MissingPermission } from "../../../../ui/missing-permission";
import { type AgentParams, agentPage } from "../../../_server/agent-page";
import { approvalQuery } from "../../../_server/approval-query";
import { approvalRows } from "../../../_server/approval-rows";

export const metadata: Metadata = { title: "Approvals" };

export default async function AgentApprovalsPage(props: {
  params: Promise<AgentParams>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { ctx, org, agent, base } = await agentPage(props.params);
  if (!ctx.permissions.has("sessions:read"))
    return <MissingPermission permission="sessions:read" />;
  const query = approvalQuery(await props.searchParams);
  const { approvals, nextCursor } = await listApprovals(ctx, {
    ...{ agentId: agent.id, limit: 30, cursor: query.cursor },
    status: query.status ?? "pending",
  });
  return (
    <ApprovalInbox
      {...(await approvalRows(ctx, approvals))}
      {...{ query, nextCursor }}
      origin={publicUrl(platform().env)}
      org={org.slug}
      path={`${base}/approvals`}
      command={listApprovalsCommand(org.slug, agent.slug)}
    />
  );
}
