import type { DeploymentView } from "../../protocol/build-log";
import type { DeploymentRow } from "../../ui/deployment-list";
import { nameOfPrincipal } from "./principal-names";

/** A version's state in one word: of the built ones, one is active. */
export const deploymentStatus = ({ status, active }: DeploymentView): string =>
  active ? "active" : status;

/** A version as lists show it. */
export const deploymentRow = (
  deployment: DeploymentView,
  names: ReadonlyMap<string, string>,
): DeploymentRow => ({
  version: deployment.version,
  status: deploymentStatus(deployment),
  message: deployment.message,
  createdBy: nameOfPrincipal(names, deployment.createdBy),
  createdAt: deployment.createdAt,
  durationMs: deployment.finishedAt
    ? Date.parse(deployment.finishedAt) - Date.parse(deployment.createdAt)
    : null,
});
