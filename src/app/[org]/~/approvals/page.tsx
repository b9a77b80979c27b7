import type { Metadata } from "next";
import { listOrgApprovals } from "../../../../server/approvals";
import { publicUrl } from "../../../../server/platform/env";
import { platform } from "../../../../server/platform/platform";
import { ApprovalInbox } from "../../../../ui/approval-inbox";
import { listApprovalsCommand } from "../../../../ui/commands";
import { MissingPermission } from "../../../../ui/missing-permission";
import { approvalQuery } from "../../../_server/approval-query";
import { approvalRows } from "../../../_server/approval-rows";
import { orgPage } from "../../../_server/org-page";

export const metadata: Metadata = { title: "Approvals" };

export default async function OrgApprovalsPage(props: {
  params: Promise<{ org: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { ctx, org } = await orgPage((await props.params).org);
  if (!ctx.permissions.has("sessions:read"))
    return <MissingPermission permission="sessions:read" />;
  const query = approvalQuery(await props.searchParams);
  const { approvals, nextCursor } = await listOrgApprovals(ctx, {
    ...{ limit: 30, cursor: query.cursor },
    status: query.status ?? "pending",
  });
  return (
    <ApprovalInbox
      {...(await approvalRows(ctx, approvals))}
      {...{ query, nextCursor }}
      origin={publicUrl(platform().env)}
      org={org.slug}
      path={`/${org.slug}/~/approvals`}
      command={listApprovalsCommand(org.slug)}
      everywhere
    />
  );
}
