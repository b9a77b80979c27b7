import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { DialTarget } from "../server/egress";
import { BadRequest, type Refusal, refusalOf } from "./refuse";

export type Check = (host: string, port: number) => Promise<DialTarget>;

const CONNECT_MS = 10_000;
const PHRASES: Record<number, string> = {
  400: "Bad Request",
  403: "Forbidden",
  502: "Bad Gateway",
};

function answerRefusal(client: Duplex, { status, reason }: Refusal): void {
  if (!client.writable) return;
  client.end(
    `HTTP/1.1 ${status} ${PHRASES[status] ?? "Error"}\r\nx-egress-error: ${reason}\r\ncontent-length: 0\r\n\r\n`,
  );
}

function parseTarget(url: string | undefined): { host: string; port: number } {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(url ?? "") ?? [];
  if (host === undefined || port === undefined) throw new BadRequest("malformed CONNECT target");
  return { host, port: Number(port) };
}

function join(client: Duplex, head: Buffer, target: DialTarget): void {
  const upstream = connect({ host: target.address, port: target.port, noDelay: true });
  const timer = setTimeout(
    () => upstream.destroy(Object.assign(new Error("connect timeout"), { code: "ETIMEDOUT" })),
    CONNECT_MS,
  );
  let joined = false;
  upstream.once("connect", () => {
    joined = true;
    clearTimeout(timer);
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
  upstream.on("error", (error) => {
    if (!joined) answerRefusal(client, refusalOf(error));
  });
  upstream.once("close", () => {
    clearTimeout(timer);
    if (joined) client.destroy();
  });
  client.once("close", () => upstream.destroy());
}

/** Serves one CONNECT: checks, dials the address that was checked, and joins the two sockets. */
export async function serveTunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  check: Check,
): Promise<void> {
  client.on("error", () => client.destroy());
  try {
    const { host, port } = parseTarget(request.url);
    const target = await check(host, port);
    if (!client.destroyed) join(client, head, target);
  } catch (error) {
    answerRefusal(client, refusalOf(error));
  }
}
