// The HTTP API: one table of routes that drives the Hono app, its OpenAPI description and the
// isolation test. It authenticates, parses, calls one verb of the domain and words the answer.
// It never decides: permissions, ownership and limits of the domain live in the verbs.
export { createApi } from "./create-api";
export { drain } from "./drain";
export { createFrontDoor } from "./front-door";
export type { Route } from "./route";
export { ROUTES } from "./routes";
