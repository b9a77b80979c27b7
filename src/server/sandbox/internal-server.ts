import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { equalBytes, sha256 } from "../platform/crypto";
import type { Logger } from "../platform/log";
import type { Invoke } from "./invoke";
import { INVOKE_PATH, InvokeRequest, MAX_INVOKE_BYTES, toFailure } from "./invoke-wire";
import { SandboxError } from "./sandbox-error";

interface InternalServerOptions {
  invoke: Invoke;
  /** Shared by web and workers. */
  token: string;
  log: Logger;
}

/** Longer than any client keeps a connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 600_000;

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_INVOKE_BYTES) throw new Refusal(413, "the call is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "the call is not JSON");
  }
}

function requireToken(request: IncomingMessage, token: string): void {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  // Hashes have one length, so the comparison says nothing about the token's.
  if (!equalBytes(sha256(given), sha256(token))) throw new Refusal(401, "not a service of ours");
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { invoke, token }: InternalServerOptions,
): Promise<unknown> {
  requireToken(request, token);
  if (request.method !== "POST" || request.url !== INVOKE_PATH) {
    throw new Refusal(404, "no such route");
  }
  const parsed = InvokeRequest.safeParse(await readBody(request));
  if (!parsed.success) throw new Refusal(400, "not a call");
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const { ref, call, timeoutMs } = parsed.data;
  const result = await invoke(ref, call, { timeoutMs, signal: gone.signal });
  return { result: result ?? null };
}

const asAnswer = (error: unknown, log: Logger): { status: number; body: object } => {
  if (error instanceof SandboxError) return { status: 200, body: { error: toFailure(error) } };
  if (error instanceof Refusal) return { status: error.status, body: { refused: error.message } };
  log.error({ err: error }, "an internal call failed");
  const failure = new SandboxError("sandbox_failed", "The agent could not be started.");
  return { status: 200, body: { error: toFailure(failure) } };
};

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: InternalServerOptions,
): Promise<void> {
  const { status, body } = await answer(request, response, options).then(
    (sent) => ({ status: 200, body: sent as object }),
    (error) => asAnswer(error, options.log),
  );
  if (response.destroyed) return;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(request.complete ? {} : { connection: "close" }),
  });
  response.end(JSON.stringify(body));
}

/**
 * The worker's HTTP server for its own web processes: one route that runs a call in an agent
 * process. Not listening yet; `address` of the worker row says where it does.
 */
export function createInternalServer(options: InternalServerOptions): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serve(request, response, options);
  });
  // A call may take as long as its own time limit.
  server.requestTimeout = 0;
  return server;
}
