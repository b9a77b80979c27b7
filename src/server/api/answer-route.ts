import type { Arrival } from "./arrival";
import { errorAnswer, surfaceOf } from "./error-answer";
import { identifyFor } from "./identify";
import { parseParams, parseQuery, parseWith } from "./parse-input";
import { readJson, refuseDeclaredLength, requireMediaType } from "./read-body";
import type { Route } from "./route";
import { refuseServiceWorker } from "./tenant-request";

async function readBody(route: Route, request: Request): Promise<unknown> {
  if (route.rawBody) {
    requireMediaType(request, route.rawBody);
    if (route.maxBodyBytes) refuseDeclaredLength(request, route.maxBodyBytes);
    return undefined;
  }
  if (!route.body) return undefined;
  return parseWith(route.body, await readJson(request, route.maxBodyBytes));
}

function toResponse(route: Route, result: unknown, requestId: string): Response {
  if (result instanceof Response) {
    result.headers.set("x-request-id", requestId);
    return result;
  }
  const { status } = route.answer;
  const headers = { "x-request-id": requestId, "cache-control": "no-store" };
  if (status === 204) return new Response(null, { status, headers });
  return Response.json(result, { status, headers });
}

async function run(route: Route, arrival: Arrival): Promise<Response> {
  const { request, url, requestId, ip } = arrival;
  if (surfaceOf(url.pathname) === "agent") refuseServiceWorker(request.headers);
  const identity = await identifyFor(route, arrival);
  const args = {
    request,
    requestId,
    ip,
    ...identity,
    params: parseParams(route, arrival.pathParams),
    query: parseQuery(route, url),
    body: await readBody(route, request),
  };
  return toResponse(route, await route.handler(args as never), requestId);
}

/** Runs one route for one request: who, what, verb, answer. Never rejects. */
export async function answerRoute(route: Route, arrival: Arrival): Promise<Response> {
  try {
    return await run(route, arrival);
  } catch (thrown) {
    return errorAnswer(thrown, {
      surface: surfaceOf(arrival.url.pathname),
      requestId: arrival.requestId,
    });
  }
}
