import type { Manifest } from "../../protocol/manifest";
import type { ArtifactView } from "../../server/artifacts";
import type { ArtifactRow } from "../../ui/artifact-list";

/** An artifact as its list shows it. */
export const artifactRow = (artifact: ArtifactView): ArtifactRow => ({
  id: artifact.id,
  kind: artifact.kind,
  key: artifact.key,
  version: artifact.version,
  title: artifact.title ?? artifact.key,
  size: artifact.sha256 === null ? null : artifact.size,
  createdAt: artifact.createdAt,
});

/** The kinds to choose from: those declared, those in sight, and the one chosen. */
export function kindChoices(
  artifacts: readonly ArtifactView[],
  manifest: Manifest | undefined,
  chosen: string | undefined,
): { value: string | undefined; label: string }[] {
  const declared = manifest?.artifacts?.kinds ?? [];
  const kinds = new Set([...declared, ...artifacts.map(({ kind }) => kind)]);
  if (chosen !== undefined) kinds.add(chosen);
  return [
    { value: undefined, label: "All" },
    ...[...kinds].sort().map((kind) => ({ value: kind, label: kind })),
  ];
}
