/** The model that answers by rule when an org has no provider. */
export const OFFLINE_MODEL = "berth/offline";

/** A model's name; the offline one is never mistaken for a real one. */
export const ModelLabel = ({ model }: { model: string }) => (
  <span className="inline-flex min-w-0 items-center gap-2 text-faint text-xs">
    <span className="truncate font-mono">{model}</span>
    {model === OFFLINE_MODEL ? (
      <span
        title="Answers by rule, without a model provider. Set a provider for real answers."
        className="shrink-0 rounded-full border border-warn/40 bg-warn-soft px-2 text-2xs text-warn"
      >
        offline model
      </span>
    ) : null}
  </span>
);
