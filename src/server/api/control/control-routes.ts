import type { Route } from "../route";
import { agentRecordRoutes } from "./agents";
import { controlApprovalRoutes } from "./approvals";
import { controlArtifactRoutes } from "./artifacts";
import { auditRoutes } from "./audit";
import { deploymentRoutes } from "./deployments";
import { keyRoutes } from "./keys";
import { meRoutes } from "./me";
import { memberRoutes } from "./members";
import { modelRoutes } from "./models";
import { orgRoutes } from "./orgs";
import { secretRoutes } from "./secrets";
import { controlSessionRoutes } from "./sessions";

/** The control API: what the command line and other programs manage an org with. */
export const controlRoutes: readonly Route[] = [
  ...meRoutes,
  ...orgRoutes,
  ...agentRecordRoutes,
  ...deploymentRoutes,
  ...secretRoutes,
  ...controlSessionRoutes,
  ...controlArtifactRoutes,
  ...controlApprovalRoutes,
  ...modelRoutes,
  ...keyRoutes,
  ...memberRoutes,
  ...auditRoutes,
];
