import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The outside world of the tools under test: it counts what really happened to it. */
export interface Effects {
  /** `host:port`, reachable from sandboxes that name it in `hosting.egressDomains`. */
  host: string;
  /** Where the host really is. */
  address: string;
  /** How often each call id had its effect. */
  counts: ReadonlyMap<string, number>;
  /** Resolves at the next effect; it is answered when `release` is called. */
  hold(): Promise<{ callId: string; release(): void }>;
  stop(): Promise<void>;
}

type Held = { callId: string; release(): void };

/** Starts an HTTP server for which every `POST /<callId>` is one effect. */
export async function startEffects(): Promise<Effects> {
  const counts = new Map<string, number>();
  const waiting: ((held: Held) => void)[] = [];
  const server = createServer((request, response) => {
    const callId = (request.url ?? "/").slice(1);
    request.resume().on("end", () => {
      counts.set(callId, (counts.get(callId) ?? 0) + 1);
      const release = () => void response.end('{"done":true}');
      const holder = waiting.shift();
      if (holder) holder({ callId, release });
      else release();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    host: `effects.test:${port}`,
    address: `127.0.0.1:${port}`,
    counts,
    hold: () => new Promise((resolve) => waiting.push(resolve)),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
