import Link from "next/link";
import type { ReactNode } from "react";
import { formatBytes } from "./format";
import { TimeAgo } from "./time-ago";

interface ArtifactFactsProps {
  base: string;
  artifact: {
    kind: string;
    key: string;
    version: number;
    contentType: string | null;
    size: number;
    sessionId: string | null;
    createdAt: string;
    expiresAt: string | null;
  };
}

/** What is known of an artifact beside its data. */
export const ArtifactFacts = ({ base, artifact }: ArtifactFactsProps) => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
    <Fact name="Kind">
      <span className="font-mono text-xs">{artifact.kind}</span>
    </Fact>
    <Fact name="Key">
      <span className="font-mono text-xs">{artifact.key}</span>
    </Fact>
    <Fact name="Version">{artifact.version}</Fact>
    <Fact name="Contents">
      {artifact.contentType === null
        ? "None, data only"
        : `${artifact.contentType}, ${formatBytes(artifact.size)}`}
    </Fact>
    <Fact name="Session">
      {artifact.sessionId === null ? (
        "None, a direct call"
      ) : (
        <Link
          href={`${base}/sessions/${artifact.sessionId}`}
          className="font-mono text-accent text-xs underline underline-offset-2"
        >
          {artifact.sessionId}
        </Link>
      )}
    </Fact>
    <Fact name="Tagged">
      <TimeAgo at={artifact.createdAt} />
    </Fact>
    <Fact name="Kept">
      {artifact.expiresAt === null ? (
        `As long as its ${artifact.sessionId === null ? "agent" : "session"}`
      ) : (
        <>
          Removed <TimeAgo at={artifact.expiresAt} />
        </>
      )}
    </Fact>
  </dl>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-faint">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
);
