import { isIPv6, Socket } from "node:net";
import { gatewaySocket } from "./gateway-socket";

/** The native side of a connected socket, taken over by the socket that asked for the tunnel. */
export interface TcpHandle {
  readStop(): void;
  close(): void;
  reading: boolean;
}

export type TunnelResult = { handle: TcpHandle; rest: Buffer } | { error: NodeJS.ErrnoException };

export const originalConnect = Socket.prototype.connect;

const MAX_HEAD = 16_384;

function connectError(code: string, message: string, host: string, port: number) {
  return Object.assign(new Error(message), { code, syscall: "connect", host, port });
}

function refusal(head: string, host: string, port: number): NodeJS.ErrnoException {
  const status = Number(head.slice(9, 12));
  const reason = /x-egress-error: (.*)/i.exec(head)?.[1]?.trim() ?? "no reason given";
  if (status === 403) return connectError("EACCES", `egress denied: ${reason}`, host, port);
  const code = /^E[A-Z]+$/.test(reason) ? reason : "ECONNREFUSED";
  return connectError(code, `connect ${reason} ${host}:${port}`, host, port);
}

function takeHandle(socket: Socket): TcpHandle {
  socket.pause();
  socket.removeAllListeners();
  socket.on("error", () => undefined);
  const owner = socket as unknown as { _handle: TcpHandle | null };
  const handle = owner._handle;
  if (!handle) throw connectError("ECONNRESET", "the tunnel closed at once", "", 0);
  handle.readStop();
  handle.reading = false;
  owner._handle = null;
  return handle;
}

/** Opens a tunnel through the gateway and hands over its native handle once it stands. */
export function openTunnel(
  host: string,
  port: number,
  done: (result: TunnelResult) => void,
): Socket {
  const socket = new Socket();
  let head = Buffer.alloc(0);
  let settled = false;
  const settle = (result: TunnelResult) => {
    if (settled) return;
    settled = true;
    done(result);
  };
  const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  socket.on("error", (error) => settle({ error }));
  socket.on("close", () =>
    settle({
      error: connectError("ECONNRESET", "the egress gateway closed the connection", host, port),
    }),
  );
  socket.on("data", (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) {
      if (head.length > MAX_HEAD) socket.destroy();
      return;
    }
    const text = head.toString("latin1", 0, end);
    if (!text.startsWith("HTTP/1.1 200")) {
      settle({ error: refusal(text, host, port) });
      socket.destroy();
      return;
    }
    settle({ handle: takeHandle(socket), rest: head.subarray(end + 4) });
  });
  originalConnect.call(socket, gatewaySocket(), () => {
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  });
  return socket;
}
