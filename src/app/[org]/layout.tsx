import type { ReactNode } from "react";
import { listAgents } from "../../server/agents";
import { countApprovals } from "../../server/approvals";
import { platform } from "../../server/platform/platform";
import { listMyOrgs } from "../../server/tenancy";
import { AppShell } from "../../ui/app-shell";
import { orgPage } from "../_server/org-page";

export default async function OrgLayout(props: {
  params: Promise<{ org: string }>;
  children: ReactNode;
}) {
  const { user, org, ctx } = await orgPage((await props.params).org);
  const [orgs, agents, waiting] = await Promise.all([
    listMyOrgs(user),
    listAgents(ctx, {}),
    ctx.permissions.has("sessions:read") ? countApprovals(ctx, {}) : 0,
  ]);
  return (
    <AppShell
      org={{ slug: org.slug, name: org.name }}
      orgs={orgs.map(({ slug, name }) => ({ slug, name }))}
      agents={agents.map(({ slug, name }) => ({ slug, name }))}
      waiting={waiting}
      user={{ name: user.name, email: user.email }}
      unsafeSandbox={platform().env.BERTH_SANDBOX === "unsafe-process"}
    >
      {props.children}
    </AppShell>
  );
}
