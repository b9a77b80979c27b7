import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { EgressDenial, EgressRules, PrivateTarget } from "../protocol/gateway-control";
import { checkEgress, compileRules, EgressDenied, type Resolve } from "../server/egress";
import { serveForward } from "./forward";
import { type Check, serveTunnel } from "./tunnel";

const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16_384;

export interface SandboxProxyOptions {
  socketPath: string;
  rules: EgressRules;
  targets: readonly PrivateTarget[];
  onDenied: (denial: EgressDenial) => void;
  /** How names are resolved; the system's way if absent. */
  resolve?: Resolve;
}

/** One sandbox's way out: the socket is its identity, so nothing it sends can name another. */
export class SandboxProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly options: SandboxProxyOptions) {
    const policy = {
      rules: compileRules(options.rules),
      targets: options.targets,
      byOperator: options.rules.byOperator ?? false,
      ...(options.resolve ? { resolve: options.resolve } : {}),
    };
    const check: Check = async (host, port) => {
      try {
        return await checkEgress(host, port, policy);
      } catch (error) {
        if (error instanceof EgressDenied) options.onDenied(error.denial);
        throw error;
      }
    };
    this.server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
      void serveForward(request, response, check);
    });
    this.server.maxConnections = MAX_CONNECTIONS;
    this.server.on("connect", (request, socket, head) => {
      void serveTunnel(request, socket, head, check);
    });
    this.server.on("clientError", (_error, socket) => socket.destroy());
    this.server.on("connection", (socket) => this.track(socket));
  }

  /** Resolves once the socket listens. */
  listen(): Promise<void> {
    const { socketPath } = this.options;
    rmSync(socketPath, { force: true });
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(socketPath, () => {
        // The folder around it is the lock: only the sandbox's own user may enter that.
        chmodSync(socketPath, 0o666);
        resolve();
      });
    });
  }

  /** Resolves once nothing of it is left. */
  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once("close", () => this.sockets.delete(socket));
  }
}
