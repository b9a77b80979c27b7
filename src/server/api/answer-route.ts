import type { KeyScope } from "../idempotency";
import { answerOnce } from "./answer-once";
import type { Arrival } from "./arrival";
import { errorAnswer, surfaceOf } from "./error-answer";
import { identifyFor } from "./identify";
import { parseParams, parseQuery, parseWith } from "./parse-input";
import {
  MAX_JSON_BYTES,
  parseJson,
  readJsonBytes,
  refuseDeclaredLength,
  requireMediaType,
} from "./read-body";
import { digestOf, HashedUpload } from "./request-digest";
import { type Identity, requestKey } from "./request-key";
import type { Route } from "./route";
import { foreignAnswer } from "./tenant-answer";
import { refuseServiceWorker } from "./tenant-request";

const NO_BYTES = new Uint8Array();

/** A body as it arrived: bytes in memory, or the stream that a route reads itself. */
interface Body {
  bytes: Uint8Array;
  upload: ReadableStream<Uint8Array> | null;
}

async function readBody(route: Route, request: Request): Promise<Body> {
  if (route.rawBody) {
    requireMediaType(request, route.rawBody);
    if (route.maxBodyBytes) refuseDeclaredLength(request, route.maxBodyBytes);
    return { bytes: NO_BYTES, upload: request.body };
  }
  const bytes = route.body ? await readJsonBytes(request, route.maxBodyBytes) : NO_BYTES;
  return { bytes, upload: null };
}

function toResponse(route: Route, result: unknown): Response {
  if (result instanceof Response) return result;
  const { status, foreign } = route.answer;
  const headers = { "cache-control": "no-store" };
  if (status === 204) return new Response(null, { status, headers });
  const answer = Response.json(result, { status, headers });
  return foreign ? foreignAnswer(answer) : answer;
}

/** The id of what was made, of an answer that holds a secret. */
function secretOf({ answer: { secret } }: Route, result: unknown): string | undefined {
  if (!secret || typeof result !== "object" || result === null) return undefined;
  const members = result as Record<string, unknown>;
  return secret.member in members ? String(members[secret.id]) : undefined;
}

/** What a route's functions are given, apart from the body. */
interface Args extends Identity {
  request: Request;
  requestId: string;
  ip: string | null;
  params: unknown;
  query: unknown;
}

const bodyValue = (route: Route, { bytes }: Body): unknown =>
  route.body && parseWith(route.body, parseJson(bytes));

const SESSION_ID = /^ses_\w{1,60}$/;

/** The session that a request names, or that its answer made known. */
function sessionOf(params: unknown, body: unknown, result: unknown): string | undefined {
  const member = (value: unknown, name: string): unknown =>
    typeof value === "object" ? (value as Record<string, unknown> | null)?.[name] : undefined;
  const named = [member(params, "id"), member(body, "sessionId"), member(result, "sessionId")];
  return named.find((id): id is string => typeof id === "string" && SESSION_ID.test(id));
}

async function run(route: Route, arrival: Arrival): Promise<Response> {
  const { request, url, requestId, ip } = arrival;
  if (surfaceOf(url.pathname) === "agent") refuseServiceWorker(request.headers);
  const identity = (await identifyFor(route, arrival)) as Identity;
  const args: Args = {
    request,
    requestId,
    ip,
    ...identity,
    params: parseParams(route, arrival.pathParams),
    query: parseQuery(route, url),
  };
  const scope = requestKey(route, arrival, identity);
  const body = await readBody(route, request);
  if (scope) return await runOnce(route, arrival, { scope, args, body });
  const { upload } = body;
  const value = bodyValue(route, body);
  return toResponse(route, await route.handler({ ...args, upload, body: value } as never));
}

/** A request with a key: its errors are answers as well, and kept like others. */
async function runOnce(
  route: Route,
  arrival: Arrival,
  { scope, args, body }: { scope: KeyScope; args: Args; body: Body },
): Promise<Response> {
  const { search } = arrival.url;
  const { upload } = body;
  const hashed = upload && new HashedUpload(search, upload, route.maxBodyBytes ?? MAX_JSON_BYTES);
  const { again } = route;
  let value: unknown;
  return await answerOnce({
    scope,
    digest: hashed ?? digestOf(search, body.bytes),
    async answer(once) {
      let result: unknown;
      const response = await orError(arrival, async () => {
        value = bodyValue(route, body);
        const ctx = args.ctx && { ...args.ctx, once };
        const given = { ...args, ctx, upload: hashed?.stream ?? null, body: value };
        result = await route.handler(given as never);
        return toResponse(route, result);
      });
      return { response, result };
    },
    secretOf: (result) => secretOf(route, result),
    sessionOf: (result) => sessionOf(args.params, value, result),
    again: again && ((location) => again({ ...args, upload, body: undefined } as never, location)),
  });
}

async function orError(arrival: Arrival, answer: () => Promise<Response>): Promise<Response> {
  const { requestId, url } = arrival;
  try {
    return await answer();
  } catch (thrown) {
    return errorAnswer(thrown, { surface: surfaceOf(url.pathname), requestId });
  }
}

/** Runs one route for one request: who, what, verb, answer. Never rejects. */
export async function answerRoute(route: Route, arrival: Arrival): Promise<Response> {
  const response = await orError(arrival, () => run(route, arrival));
  response.headers.set("x-request-id", arrival.requestId);
  return response;
}
