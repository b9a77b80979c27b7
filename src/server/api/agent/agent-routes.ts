import { approvalRoutes } from "./approval-routes";
import { artifactRoutes } from "./artifact-routes";
import { deleteSessionRoute } from "./delete-session-route";
import { eventRoutes } from "./event-routes";
import { infoRoute } from "./info-route";
import { sessionRoutes } from "./session-routes";
import { toolRoutes } from "./tool-routes";

/** The routes of each agent's own API (SPEC 4). */
export const agentRoutes = [
  ...sessionRoutes,
  ...approvalRoutes,
  deleteSessionRoute,
  ...eventRoutes,
  infoRoute,
  ...toolRoutes,
  ...artifactRoutes,
];
