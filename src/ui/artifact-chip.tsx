"use client";

import { FileBox } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import type { ArtifactBlock } from "../protocol/transcript";

/** An artifact where it was tagged in a conversation; leads to its page. */
export function ArtifactChip({ artifact }: { artifact: ArtifactBlock }) {
  // Conversations are shown below their agent only.
  const [, org, agent] = usePathname().split("/");
  return (
    <Link
      href={`/${org}/${agent}/artifacts/${artifact.artifactId}`}
      className="inline-flex max-w-full items-center gap-2 rounded-lg border border-line bg-surface px-2.5 py-1.5 text-sm hover:bg-hover"
    >
      <FileBox aria-hidden="true" className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 truncate font-medium">{artifact.title}</span>
      <span className="shrink-0 font-mono text-faint text-xs">{artifact.artifactKind}</span>
    </Link>
  );
}
