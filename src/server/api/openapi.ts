import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from "zod-openapi";
import { surfaceOf } from "./error-answer";
import type { Route } from "./route";

const Issue = z.object({ path: z.string(), message: z.string() });

const AgentError = z
  .looseObject({
    ok: z.literal(false),
    error: z.string(),
    message: z.string(),
    requestId: z.string(),
    issues: z.array(Issue).optional(),
  })
  .meta({ id: "AgentError", description: "What happened and what to do." });

const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    requestId: z.string(),
    issues: z.array(Issue).optional(),
  })
  .meta({ id: "Problem", description: "An error in the form of RFC 9457." });

const Slug = z.string().meta({ example: "demo" });

function pathParams(route: Route): z.ZodObject | undefined {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  if (names.length === 0) return undefined;
  const shape = route.params?.shape ?? {};
  return z.object(Object.fromEntries(names.map((name) => [name, shape[name] ?? Slug])));
}

const errorContent = (route: Route) =>
  surfaceOf(route.path) === "control"
    ? { "application/problem+json": { schema: Problem } }
    : { "application/json": { schema: AgentError } };

function answerContent({ answer }: Route) {
  if (answer.schema) return { [answer.type ?? "application/json"]: { schema: answer.schema } };
  return answer.type ? { [answer.type]: { schema: z.string() } } : undefined;
}

function requestBody(route: Route): ZodOpenApiOperationObject["requestBody"] {
  if (route.rawBody) {
    return { content: { [route.rawBody]: { schema: { type: "string", format: "binary" } } } };
  }
  return route.body ? { content: { "application/json": { schema: route.body } } } : undefined;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const path = pathParams(route);
  const body = requestBody(route);
  const content = answerContent(route);
  return {
    summary: route.summary,
    tags: [route.tag],
    security: route.auth === "none" ? [] : [{ bearer: [] }],
    requestParams: { ...(path && { path }), ...(route.query && { query: route.query }) },
    ...(body && { requestBody: body }),
    responses: {
      [`${route.answer.status}`]: {
        description: route.answer.description,
        ...(content && { content }),
      },
      default: { description: "An error, by its code.", content: errorContent(route) },
    } as ZodOpenApiOperationObject["responses"],
  };
}

/** The OpenAPI 3.1 description of a route table. */
export function describeRoutes(routes: readonly Route[], serverUrl: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(route),
    };
  }
  return createDocument({
    openapi: "3.1.0",
    info: { title: "Berth", version: "1", description: "Agents of a team, and their HTTP API." },
    servers: [{ url: serverUrl }],
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    paths,
  });
}
