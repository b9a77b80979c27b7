import { agentRoutes } from "./agent/agent-routes";
import { controlRoutes } from "./control/control-routes";
import { openapiRoute } from "./openapi-route";
import type { Route } from "./route";
import { systemRoutes } from "./system/system-routes";

const described: readonly Route[] = [...agentRoutes, ...controlRoutes, ...systemRoutes];

/** Every route of the HTTP API: what Hono serves, OpenAPI describes and the isolation test walks. */
export const ROUTES: readonly Route[] = [...described, openapiRoute(described)];
