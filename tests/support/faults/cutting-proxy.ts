import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback that can break what it carries. */
export interface CuttingProxy {
  url: string;
  /** Ends the next connection after so many bytes of its answer; 0 swallows all of it. */
  cutNext(bytes: number): void;
  stop(): Promise<void>;
}

/** Starts a proxy before an address; without orders it carries everything. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    let left = cuts.shift() ?? Number.POSITIVE_INFINITY;
    const upstream = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      if (chunk.length < left) {
        left -= chunk.length;
        client.write(chunk);
        return;
      }
      client.write(chunk.subarray(0, left), end);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNext: (bytes) => void cuts.push(bytes),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
