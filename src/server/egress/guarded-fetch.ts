import { Agent, buildConnector, fetch as undiciFetch } from "undici";
import type { PrivateTarget } from "../../protocol/gateway-control";
import { isAddress } from "./domain-rule";
import { type TargetPurpose, targetsFor } from "./private-targets";
import { type Resolve, resolveTarget } from "./resolve-target";

export interface OutboundGuard {
  /** Dispatcher whose every connection, redirects' included, is checked before it is dialled. */
  agent: Agent;
  /** `fetch` over that dispatcher. */
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export interface OutboundGuardOptions {
  purpose: TargetPurpose;
  targets: readonly PrivateTarget[];
  resolve?: Resolve;
  connectTimeoutMs?: number;
}

const WEB_PORT = { "http:": 80, "https:": 443 } as const;

function portOf(options: buildConnector.Options): number {
  if (options.port) return Number(options.port);
  return options.protocol === "http:" ? WEB_PORT["http:"] : WEB_PORT["https:"];
}

/**
 * Outbound HTTP of the platform itself, for one purpose. A connection to an address that is
 * neither public nor opened for that purpose fails with PrivateTargetError as its cause.
 */
export function createOutboundGuard(options: OutboundGuardOptions): OutboundGuard {
  const targets = targetsFor(options.targets, options.purpose);
  const dial = buildConnector({ timeout: options.connectTimeoutMs ?? 10_000 });
  const connect: buildConnector.connector = (request, callback) => {
    resolveTarget(request.hostname, portOf(request), targets, options.resolve).then(
      ({ address, port }) =>
        dial(
          {
            ...request,
            hostname: address,
            port: String(port),
            ...(isAddress(request.hostname) ? {} : { servername: request.hostname }),
          },
          callback,
        ),
      (error: Error) => callback(error, null),
    );
  };
  const agent = new Agent({ connect });
  const guarded = (input: unknown, init?: object) =>
    undiciFetch(input as Parameters<typeof undiciFetch>[0], { ...init, dispatcher: agent });
  return {
    agent,
    fetch: guarded as unknown as typeof globalThis.fetch,
    close: () => agent.close(),
  };
}
