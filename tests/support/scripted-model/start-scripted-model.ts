import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answer } from "./answer";
import { type ScriptedStep, stepFor } from "./script";

export interface ScriptedModel {
  /** Base URL of the API, `http://127.0.0.1:<port>/v1`. */
  url: string;
  /** Bodies of the requests so far, oldest first. */
  requests: { model: string; messages: Record<string, unknown>[]; tools?: unknown[] }[];
  stop(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function refuse(response: ServerResponse, step: ScriptedStep): void {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (step.retryAfterS !== undefined) headers["retry-after"] = String(step.retryAfterS);
  response.writeHead(step.status ?? 500, headers);
  response.end(JSON.stringify({ error: { message: "scripted failure", type: "scripted" } }));
}

const sound = ({ hang: _hang, truncate: _truncate, ...step }: ScriptedStep): ScriptedStep => step;

function serve(response: ServerResponse, model: string, step: ScriptedStep): Promise<void> | void {
  if (step.hang === "start") return;
  if (step.status) return refuse(response, step);
  if (step.garbage) return void response.writeHead(200).end("<html>not a stream</html>");
  return answer(response, model, step);
}

/** Starts an OpenAI-style chat-completions server on loopback that does what messages script. */
export async function startScriptedModel(port = 0): Promise<ScriptedModel> {
  const requests: ScriptedModel["requests"] = [];
  const tries = new Map<string, number>();
  const served = new Map<string, number>();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(await bodyOf(request));
    requests.push(body);
    if (requests.length > 1000) requests.shift();
    const { key, step } = stepFor(body.model, body.messages, served);
    const tried = tries.get(key) ?? 0;
    if (step.times !== undefined) tries.set(key, tried + 1);
    if (tried >= (step.times ?? Number.POSITIVE_INFINITY)) {
      return answer(response, body.model, sound(step));
    }
    await serve(response, body.model, step);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
