import { Cpu } from "lucide-react";
import type { Metadata } from "next";
import { listModelProviders, OFFLINE_MODEL, type ProviderKind } from "../../../../server/models";
import { CommandBlock } from "../../../../ui/command-block";
import { EmptyState } from "../../../../ui/empty-state";
import { MissingPermission } from "../../../../ui/missing-permission";
import { ModelForm } from "../../../../ui/model-form";
import { ModelLabel } from "../../../../ui/model-label";
import { ModelList } from "../../../../ui/model-list";
import { Notice } from "../../../../ui/notice";
import { Page, PageHeader } from "../../../../ui/page-header";
import { orgPage } from "../../../_server/org-page";
import { setModel } from "./actions";

export const metadata: Metadata = { title: "Models" };

const NAMES: Record<ProviderKind, string> = {
  xai: "xAI",
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  "openai-compatible": "OpenAI-compatible",
};
const KINDS = Object.entries(NAMES).map(([value, label]) => ({ value, label }));

export default async function ModelsPage(props: { params: Promise<{ org: string }> }) {
  const { org, ctx } = await orgPage((await props.params).org);
  if (!ctx.permissions.has("models:manage")) {
    return <MissingPermission permission="models:manage" />;
  }
  const models = await listModelProviders(ctx, {});
  const form = <ModelForm kinds={KINDS} onSet={setModel.bind(null, org.slug)} />;
  return (
    <Page>
      <PageHeader
        title="Models"
        note="Providers that the organisation's agents may use. Keys go in and never come back."
        actions={models.length > 0 ? form : null}
      />
      {org.settings.offlineModel ? (
        <Notice tone="info" title="The offline model answers where no provider is set">
          <ModelLabel model={OFFLINE_MODEL} />
        </Notice>
      ) : null}
      {models.length > 0 ? (
        <ModelList
          models={models.map((model) => ({ ...model, updatedAt: model.updatedAt.toISOString() }))}
        />
      ) : (
        <EmptyState icon={<Cpu />} title="No model providers">
          <p>Set one here, or from a terminal with the key on stdin.</p>
          <CommandBlock
            command={`printf %s "$XAI_API_KEY" | berth models set xai --kind xai --org ${org.slug}`}
          />
          <div className="justify-self-center">{form}</div>
        </EmptyState>
      )}
    </Page>
  );
}
