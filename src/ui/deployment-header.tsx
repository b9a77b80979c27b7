import Link from "next/link";
import type { ReactNode } from "react";
import type { DeploymentRow } from "./deployment-list";
import { formatDuration } from "./format";
import { StatusBadge } from "./status-badge";
import { TimeAgo } from "./time-ago";

interface DeploymentHeaderProps {
  base: string;
  deployment: DeploymentRow;
  actions: ReactNode;
}

export const DeploymentHeader = ({ base, deployment, actions }: DeploymentHeaderProps) => (
  <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
    <div className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-center gap-x-3">
        <h1 className="font-semibold text-xl">Version {deployment.version}</h1>
        <StatusBadge status={deployment.status} />
      </div>
      {deployment.message ? <p className="text-soft">{deployment.message}</p> : null}
      <p className="flex flex-wrap gap-x-3 text-faint text-xs">
        <span>by {deployment.createdBy}</span>
        <TimeAgo at={deployment.createdAt} />
        {deployment.durationMs === null ? null : (
          <span>built in {formatDuration(deployment.durationMs)}</span>
        )}
        <Link href={`${base}/deployments`} className="underline underline-offset-2">
          All versions
        </Link>
      </p>
    </div>
    {actions}
  </header>
);
