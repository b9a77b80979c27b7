import { Socket } from "node:net";
import { connectTarget } from "./connect-target";
import { fakeAddress, realName } from "./fake-dns";
import { staysInside } from "./gateway-socket";
import { openTunnel, originalConnect, type TcpHandle } from "./tunnel";

/** The parts of Node's socket that its own `connect` touches. */
interface SocketInternals {
  connecting: boolean;
  destroyed: boolean;
  encrypted?: boolean;
  _handle: TcpHandle | null;
  _host: string;
  _peername?: object;
  _sockname?: object;
  _undestroy(): void;
  _unrefTimer(): void;
  [reinitialise: symbol]: unknown;
}

const reinitialise = Object.getOwnPropertySymbols(Socket.prototype).find(
  (symbol) => symbol.description === "kReinitializeHandle",
);

function prepare(socket: Socket, host: string): SocketInternals {
  const inner = socket as unknown as SocketInternals;
  if (socket.write !== Socket.prototype.write) socket.write = Socket.prototype.write;
  if (inner.destroyed) {
    inner._undestroy();
    inner._handle = null;
    delete inner._peername;
    delete inner._sockname;
  }
  inner.connecting = true;
  inner._host = host;
  inner._unrefTimer();
  return inner;
}

function adopt(socket: Socket, handle: TcpHandle, rest: Buffer, host: string, port: number): void {
  const inner = socket as unknown as SocketInternals;
  (inner[reinitialise as symbol] as (handle: TcpHandle) => void).call(socket, handle);
  inner.connecting = false;
  inner._peername = { address: fakeAddress(host), family: "IPv4", port };
  inner._sockname = { address: "10.0.2.15", family: "IPv4", port: 0 };
  if (rest.length > 0 && !inner.encrypted) socket.push(rest);
  socket.emit("connect");
  socket.emit("ready");
  if (!socket.isPaused()) socket.read(0);
}

function connectThroughGateway(socket: Socket, host: string, port: number): void {
  const inner = prepare(socket, host);
  const tunnel = openTunnel(host, port, (result) => {
    if (inner.destroyed || !inner.connecting) {
      if ("handle" in result) result.handle.close();
    } else if ("error" in result) {
      socket.destroy(result.error);
    } else {
      adopt(socket, result.handle, result.rest, host, port);
    }
  });
  socket.once("close", () => tunnel.destroy());
}

/** Makes every TCP connection that leaves the namespace go through the gateway. */
export function installSocketConnect(): void {
  if (reinitialise === undefined) {
    throw new Error(`Node ${process.version} lacks the socket internals that egress needs.`);
  }
  Socket.prototype.connect = function connect(this: Socket, ...args: unknown[]): Socket {
    const target = connectTarget(args);
    const host = target.host === undefined ? undefined : realName(target.host);
    const port = target.port;
    if (host === undefined || port === undefined || staysInside(host, port)) {
      return (originalConnect as (...all: unknown[]) => Socket).apply(this, args);
    }
    if (target.listener) this.once("connect", target.listener);
    connectThroughGateway(this, host, port);
    return this;
  } as typeof Socket.prototype.connect;
}
