import type { Server } from "node:net";

/** Resolves once a server listens at a port of loopback, or at a path. */
export const listen = (server: Server, at: string | number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    if (typeof at === "number") server.listen(at, "127.0.0.1", resolve);
    else server.listen(at, resolve);
  });

export const portOf = (server: Server): number => (server.address() as { port: number }).port;
