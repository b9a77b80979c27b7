import { lookup } from "node:dns/promises";
import type { PrivateTarget } from "../../protocol/gateway-control";
import { isAddress, isHostName, normaliseHost } from "./domain-rule";
import { isOpened, mappedTarget } from "./private-targets";
import { isPublicAddress } from "./public-address";

/** Every address of a name. Rejects with a `code` as Node's resolver does. */
export type Resolve = (host: string) => Promise<{ address: string }[]>;

export interface DialTarget {
  address: string;
  port: number;
}

/** The target is not on the public internet and the operator did not open it. */
export class PrivateTargetError extends Error {
  override readonly name = "PrivateTargetError";
  readonly code = "private_target_refused";
}

/** The name could not be resolved. */
export class ResolveError extends Error {
  override readonly name = "ResolveError";
  constructor(
    readonly code: string,
    host: string,
  ) {
    super(`${host} could not be resolved (${code})`);
  }
}

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

const RESOLVE_MS = 5000;

async function resolveOnce(resolve: Resolve, host: string): Promise<{ address: string }[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ResolveError("ETIMEOUT", host)), RESOLVE_MS);
  });
  try {
    return await Promise.race([resolve(host), late]);
  } catch (error) {
    if (error instanceof ResolveError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new ResolveError(typeof code === "string" ? code : "EAI_FAIL", host);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Turns a host and port into the one address to dial. It is resolved once and what was checked is
 * what is returned, so a second answer of the name's server changes nothing.
 * Throws PrivateTargetError or ResolveError.
 */
export async function resolveTarget(
  written: string,
  port: number,
  targets: readonly PrivateTarget[],
  resolve: Resolve = systemResolve,
): Promise<DialTarget> {
  const host = normaliseHost(written);
  const mapped = mappedTarget(targets, host, port);
  if (mapped) return mapped;
  const literal = isAddress(host);
  if (!literal && !isHostName(host)) throw new PrivateTargetError(`${host} is not a host name`);
  const found = literal ? [{ address: host }] : await resolveOnce(resolve, host);
  const reachable = found.find(
    ({ address }) => isPublicAddress(address) || isOpened(targets, address, port),
  );
  if (!reachable) throw new PrivateTargetError(`${host} is not a public address`);
  return { address: reachable.address, port };
}
