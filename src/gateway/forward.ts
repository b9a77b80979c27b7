import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { BadRequest, refusalOf } from "./refuse";
import type { Check } from "./tunnel";

/** Headers between the client and this proxy, not meant for the origin. */
const HOP_BY_HOP = [
  "proxy-connection",
  "proxy-authorization",
  "connection",
  "keep-alive",
  "te",
  "upgrade",
];

function parseUrl(text: string | undefined): URL {
  let url: URL;
  try {
    url = new URL(text ?? "");
  } catch {
    throw new BadRequest("an absolute http URL is needed");
  }
  if (url.protocol !== "http:") throw new BadRequest("only http URLs; use CONNECT for others");
  return url;
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, reason } = refusalOf(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "x-egress-error": reason, "content-type": "text/plain" });
  response.end(`${reason}\n`);
}

/** Serves an absolute-form request. The Host header is the checked name, whatever was sent. */
export async function serveForward(
  request: IncomingMessage,
  response: ServerResponse,
  check: Check,
): Promise<void> {
  try {
    const url = parseUrl(request.url);
    const target = await check(url.hostname, Number(url.port || 80));
    const headers: Record<string, string | string[] | undefined> = { ...request.headers };
    for (const name of HOP_BY_HOP) delete headers[name];
    const upstream = httpRequest({
      host: target.address,
      port: target.port,
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      agent: false,
    });
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", (error) => refuse(response, error));
    response.once("close", () => upstream.destroy());
    request.pipe(upstream);
  } catch (error) {
    refuse(response, error);
  }
}
