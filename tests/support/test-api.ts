import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Permission } from "../../src/protocol/permission";
import { createApi, createFrontDoor } from "../../src/server/api";
import { createApiKey } from "../../src/server/tenancy";
import type { SeededAgent } from "./seed-agent";

/** A key of the agent's org, as a bearer header. */
export async function bearerFor(
  agent: SeededAgent,
  options: { permissions?: Permission[]; agentId?: string } = {},
): Promise<{ authorization: string }> {
  const { token } = await createApiKey(agent.ctx, { name: "test", ...options });
  return { authorization: `Bearer ${token}` };
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** Sends one JSON request to the API in this process. */
export async function send(
  method: string,
  path: string,
  { json, body, headers = {} }: { json?: unknown; body?: BodyInit; headers?: HeadersInit } = {},
): Promise<Answer> {
  const all = new Headers(headers);
  if (json !== undefined && !all.has("content-type")) all.set("content-type", "application/json");
  const response = await createApi().request(path, {
    method,
    headers: all,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body, duplex: "half" }),
  } as RequestInit);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const isLines = /ndjson/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && !isLines && text ? JSON.parse(text) : text,
  };
}

/** A web process's HTTP server on a free port, whose pages say that they are pages. */
export async function listen(): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const server = createFrontDoor((request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`page ${request.url} ${request.headers["x-middleware-subrequest"] ?? ""}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
