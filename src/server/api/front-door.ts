import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CLIENT_ADDRESS_HEADER, clientAddress } from "../limits";
import { AppError } from "../platform/errors";
import { newUuid } from "../platform/id";
import { isCanonicalPath, rawPathOf } from "./canonical-path";
import { createApi } from "./create-api";
import { errorAnswer, surfaceOf } from "./error-answer";
import { isApiPath } from "./is-api-path";

/** Request line and headers together, in bytes (SPEC 4). */
const MAX_HEADER_BYTES = 32 * 1024;
const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 75_000;
/** Uploads may be slow; answers and streams are not counted. */
const REQUEST_TIMEOUT_MS = 10 * 60_000;

export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
) => void | Promise<void>;

/** An error as the bytes of a whole HTTP answer, for requests that never became one. */
async function rawAnswer(error: AppError): Promise<string> {
  const answer = errorAnswer(error, { surface: "agent", requestId: newUuid() });
  const body = await answer.text();
  return [
    `HTTP/1.1 ${error.status} ${error.code}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

async function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
  const refusal = tooLarge
    ? new AppError("headers_too_large", `Headers may hold at most ${MAX_HEADER_BYTES} bytes.`)
    : new AppError("invalid_request", "This is not a well-formed HTTP request.");
  socket.end(await rawAnswer(refusal));
}

async function refusePath(path: string, response: ServerResponse): Promise<void> {
  const error = new AppError("unknown_route", "This path is not in its canonical form.");
  const answer = errorAnswer(error, { surface: surfaceOf(path), requestId: newUuid() });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

/** Pages and next-auth learn the client's address from us alone, and their own headers from nobody. */
function ownHeaders(request: IncomingMessage): void {
  const { headers, socket } = request;
  const forwarded = headers["x-forwarded-for"];
  const client = clientAddress(
    socket.remoteAddress ?? "",
    Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
  );
  headers[CLIENT_ADDRESS_HEADER] = client;
  delete headers["x-middleware-subrequest"];
}

/**
 * The one HTTP server of a web process: the API's paths go to the API, without anything between
 * that could hold a stream back; every other path goes to `pages`. Not listening yet.
 */
export function createFrontDoor(pages: NodeHandler): Server {
  const api = createApi();
  // Next lives in this process and keeps Node's own Request and Response.
  const answerApi = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      const path = rawPathOf(request.url ?? "");
      ownHeaders(request);
      if (!isCanonicalPath(path)) void refusePath(path, response);
      else if (isApiPath(path)) void answerApi(request, response);
      else void pages(request, response);
    },
  );
  server.on("clientError", (error, socket) => void refuseUnparsed(error, socket as Socket));
  return server;
}
