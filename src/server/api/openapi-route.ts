import { publicUrl } from "../platform/env";
import { platform } from "../platform/platform";
import { describeRoutes } from "./openapi";
import { type Route, route } from "./route";

/** The route that describes a table of routes, itself included. */
export function openapiRoute(routes: readonly Route[]): Route {
  let document: object | undefined;
  const self: Route = route({
    method: "GET",
    path: "/api/openapi.json",
    summary: "This API in OpenAPI 3.1",
    tag: "system",
    auth: "none",
    answer: { status: 200, description: "An OpenAPI document.", type: "application/json" },
    handler() {
      document ??= describeRoutes([...routes, self], publicUrl(platform().env));
      return Promise.resolve(document);
    },
  });
  return self;
}
