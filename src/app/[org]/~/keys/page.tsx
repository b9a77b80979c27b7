import { KeyRound } from "lucide-react";
import type { Metadata } from "next";
import { listAgents } from "../../../../server/agents";
import { publicUrl } from "../../../../server/platform/env";
import { platform } from "../../../../server/platform/platform";
import { listApiKeys } from "../../../../server/tenancy";
import { CreateKey } from "../../../../ui/create-key";
import { EmptyState } from "../../../../ui/empty-state";
import { KeyList } from "../../../../ui/key-list";
import { MissingPermission } from "../../../../ui/missing-permission";
import { Page, PageHeader } from "../../../../ui/page-header";
import { orgPage } from "../../../_server/org-page";
import { createKey, revokeKey } from "./actions";

export const metadata: Metadata = { title: "API keys" };

export default async function KeysPage(props: { params: Promise<{ org: string }> }) {
  const { org, ctx } = await orgPage((await props.params).org);
  if (!ctx.permissions.has("keys:manage")) return <MissingPermission permission="keys:manage" />;
  const [keys, agents] = await Promise.all([listApiKeys(ctx, {}), listAgents(ctx, {})]);
  const nameOf = (id: string | null) => agents.find((agent) => agent.id === id)?.name ?? null;
  const create = (
    <CreateKey
      agents={agents.map(({ id, name }) => ({ id, name }))}
      permissions={[...ctx.permissions]}
      origin={publicUrl(platform().env)}
      onCreate={createKey.bind(null, org.slug)}
    />
  );
  return (
    <Page>
      <PageHeader
        title="API keys"
        note="For the CLI, CI and your own services. Each key acts as a service account."
        actions={keys.length > 0 ? create : null}
      />
      {keys.length > 0 ? (
        <KeyList
          keys={keys.map((key) => ({
            id: key.id,
            name: key.name,
            permissions: key.permissions,
            agent: nameOf(key.agentId),
            createdAt: key.createdAt.toISOString(),
            expiresAt: key.expiresAt?.toISOString() ?? null,
            lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
          }))}
          onRevoke={revokeKey.bind(null, org.slug)}
        />
      ) : (
        <EmptyState icon={<KeyRound />} title="No API keys">
          <p>Make one to deploy from a terminal or to call an agent over HTTP.</p>
          <div className="justify-self-center">{create}</div>
        </EmptyState>
      )}
    </Page>
  );
}
