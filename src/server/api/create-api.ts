import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { clientAddress } from "../limits";
import { AppError } from "../platform/errors";
import { newUuid } from "../platform/id";
import { answerRoute } from "./answer-route";
import type { Arrival } from "./arrival";
import { errorAnswer, surfaceOf } from "./error-answer";
import { identify } from "./identify";
import type { Route } from "./route";
import { ROUTES } from "./routes";

type Env = { Bindings: Partial<HttpBindings> };

/** A path of the table in Hono's form. */
const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

function arrivalOf(c: Context<Env>): Arrival {
  const peer = c.env?.incoming?.socket.remoteAddress;
  return {
    request: c.req.raw,
    url: new URL(c.req.url),
    pathParams: c.req.param() as Record<string, string>,
    requestId: newUuid(),
    ip: peer === undefined ? null : clientAddress(peer, c.req.header("x-forwarded-for")),
  };
}

const unknownRoute = (): AppError =>
  new AppError("unknown_route", "There is no such route. /api/openapi.json lists them all.");

/** Answers with an error; on an agent's paths only to callers with credentials. */
async function refuse(arrival: Arrival, error: AppError): Promise<Response> {
  const surface = surfaceOf(arrival.url.pathname);
  const { requestId } = arrival;
  try {
    const isAgentPath = arrival.pathParams.org !== undefined && surface === "agent";
    if (isAgentPath) await identify(arrival);
    return errorAnswer(error, { surface, requestId });
  } catch (thrown) {
    return errorAnswer(thrown, { surface, requestId });
  }
}

function refuseMethods(app: Hono<Env>, path: string, routes: readonly Route[]): void {
  const methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = methods.sort().join(", ");
  app.all(honoPath(path), async (c) => {
    const error = new AppError("method_not_allowed", `This path answers ${allow} only.`);
    const answer = await refuse(arrivalOf(c), error);
    if (answer.status === 405) answer.headers.set("allow", allow);
    return answer;
  });
}

/** The HTTP API as a Hono app. Tests call it through `app.request()`. */
export function createApi(routes: readonly Route[] = ROUTES): Hono<Env> {
  const app = new Hono<Env>();
  for (const route of routes) {
    app.on(route.method, honoPath(route.path), (c) => answerRoute(route, arrivalOf(c)));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    refuseMethods(
      app,
      path,
      routes.filter((route) => route.path === path),
    );
  }
  app.all("/:org/:agent/v1/*", (c) => refuse(arrivalOf(c), unknownRoute()));
  app.notFound((c) => refuse(arrivalOf(c), unknownRoute()));
  app.onError((error, c) => {
    const { pathname } = new URL(c.req.url);
    return errorAnswer(error, { surface: surfaceOf(pathname), requestId: newUuid() });
  });
  return app;
}
